import { describe, expect, it } from 'vitest';
import type { Knobs } from '../../../../local/reference-service/knobs.ts';
import { DOCUMENTED_RESOURCES } from '../../../../shared/returns-service/documented-resources.ts';
import { aService } from '../a-service.ts';

type Shown = Record<string, unknown> & {
  id: unknown;
  updated_at: unknown;
  returns: Record<string, unknown>[];
  shipments: Record<string, unknown>[];
};

function shown(knobs: Partial<Knobs>): Shown[] {
  return aService({ groups: 200, knobs: { limitDefault: 250, ...knobs } }).rows() as unknown as Shown[];
}

describe('groups as the service shows them', () => {
  it('conform to the document', () => {
    const groups = shown({});

    const parsed = groups.map((group) => DOCUMENTED_RESOURCES.ReturnGroup.safeParse(group));

    expect(groups).toHaveLength(200);
    for (const { error } of parsed) expect(error).toBeUndefined();
    expect(parsed.map(({ data }) => data)).toEqual(groups);
  });

  it('lack the fields that samples lack, if configured', () => {
    const [group] = shown({ omissions: 'samples', lineItemType: 'return' });

    expect(group?.suggested_refund).not.toHaveProperty('handling_fee');
    expect(group?.order).not.toHaveProperty('tags');
    expect(group?.returns[0]).not.toHaveProperty('discount_total');
    expect(group?.returns[0]).toMatchObject({
      type: 'return',
      id: expect.any(Number),
      total: expect.anything(),
    });
  });

  it('have only ids, statuses and stamps if everything else is omitted', () => {
    const [group] = shown({ omissions: 'all' });

    expect(Object.keys(group ?? {}).sort()).toEqual([
      'created_at',
      'exchange_line_items',
      'id',
      'refund_transactions',
      'returns',
      'shipments',
      'updated_at',
    ]);
    expect(Object.keys(group?.returns[0] ?? {}).sort()).toEqual(['created_at', 'id', 'status']);
  });

  it('have fields that the document does not list, if configured', () => {
    const [group] = shown({ newFields: true });

    expect(group).toHaveProperty('channel', 'portal');
    expect(group?.returns[0]).toHaveProperty('condition', 'UNOPENED');
    expect(DOCUMENTED_RESOURCES.ReturnGroup.safeParse(group).success).toBe(true);
  });

  it.each([
    ['null-if-empty', null],
    ['absent-if-empty', undefined],
  ] as const)('have empty arrays in the form of the knob: %s', (arrays, value) => {
    const groups = shown({ arrays });

    expect(groups.some((group) => group.refund_transactions === value)).toBe(true);
    expect(groups.every((group) => group.returns.length > 0)).toBe(true);
    expect(
      groups.some(
        (group) => Array.isArray(group.refund_transactions) && group.refund_transactions.length === 0,
      ),
    ).toBe(false);
  });

  it('lack different arrays and nulls at random if these flicker', () => {
    const service = aService({
      groups: 100,
      knobs: { arrays: 'flicker', nulls: 'flicker', childOrder: 'shuffled' },
    });

    const [first, second] = [service.ask().body, service.ask().body];

    expect(first).not.toBe(second);
  });

  it('have their entities in another order each time if the order is not stable', () => {
    const service = aService({ groups: 100, knobs: { childOrder: 'shuffled' } });
    const read = () => service.rows().map((group) => group.returns.map((item) => item.id));

    const [first, second] = [read(), read()];

    expect(first).not.toEqual(second);
    expect(first.map((items) => items.sort())).toEqual(second.map((items) => items.sort()));
  });

  it('leave out optional nulls, and keep required ones', () => {
    const groups = shown({ nulls: 'absent' });

    expect(groups.every((group) => !('credit_method' in group) || group.credit_method !== null)).toBe(true);
    for (const group of groups) expect(DOCUMENTED_RESOURCES.ReturnGroup.safeParse(group).success).toBe(true);
  });

  it('are unreadable in every way, always the same way for a group', () => {
    const knobs = { unreadableEvery: 3, limitDefault: 250 } as const;
    const service = aService({ groups: 200, knobs });

    const rows = service.rows() as unknown[];
    const objects = rows.filter((row) => typeof row === 'object' && row !== null);
    const groups = objects.filter((row): row is Shown => 'returns' in row);

    expect(service.rows()).toEqual(rows);
    expect(rows).toContain('return group unavailable');
    expect(rows).toContain(null);
    expect(rows).toContainEqual({});
    expect(groups.some((group) => group.id === null)).toBe(true);
    expect(groups.some((group) => Number(group.id) > Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(groups.some((group) => group.id === undefined)).toBe(true);
    expect(groups.some((group) => typeof group.id === 'string')).toBe(true);
    expect(groups.some((group) => group.updated_at === 'yesterday')).toBe(true);
    expect(groups.some(({ returns }) => returns[0]?.status === 3)).toBe(true);
    expect(groups.some(({ returns }) => !('status' in (returns[0] ?? {})))).toBe(true);
    expect(groups.some(({ returns }) => !Number.isSafeInteger(returns[0]?.id))).toBe(true);
    expect(groups.some(({ returns }) => new Set(returns.map((item) => item.id)).size < returns.length)).toBe(
      true,
    );
    const whole = groups.filter((group) => Number(group.id) % 3 !== 0);
    for (const group of whole.filter(({ id }) => Number.isSafeInteger(id))) {
      expect(DOCUMENTED_RESOURCES.ReturnGroup.safeParse(group).success).toBe(true);
    }
  });

  it('have unlisted statuses from the start, if configured', () => {
    const groups = shown({ unlistedStatuses: 0.5 });

    const statuses = groups.flatMap((group) => group.returns.map((item) => item.status));

    expect(statuses).toContain('ON_HOLD');
    expect(statuses).toContain('COMPLETED');
  });

  it('have absurd stamps, if configured, and are found by them', () => {
    const service = aService({ groups: 200, knobs: { absurdEvery: 10, stampForm: 'Z', limitDefault: 250 } });

    const stamps = service.rows().flatMap((group) => [group.updated_at, group.created_at]);
    const future = service.rows('min_updated_at=2026-11-20T10:00:00.000001Z');
    const past = service.rows('max_updated_at=1950-01-01T00:00:00Z');

    expect(stamps.some((stamp) => stamp.startsWith('9999-'))).toBe(true);
    expect(stamps.some((stamp) => stamp.startsWith('0001-'))).toBe(true);
    expect(future.length).toBeGreaterThan(3);
    expect(future.every((group) => group.id % 10 === 0)).toBe(true);
    expect(past.length).toBeGreaterThan(0);
  });
});
