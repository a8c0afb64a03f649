import { describe, expect, it } from 'vitest';
import type { Knobs } from '../../../../local/reference-service/knobs.ts';
import { DOCUMENTED_RESOURCES } from '../../../../shared/returns-service/documented-resources.ts';
import { parseReturnGroup } from '../../../../shared/returns-service/parse-return-group.ts';
import { aService } from '../a-service.ts';

type Shown = Record<string, unknown> & {
  id: unknown;
  updated_at: unknown;
  returns: Record<string, unknown>[];
  shipments: Record<string, unknown>[];
};

function shown(knobs: Partial<Knobs>): Shown[] {
  return aService({ groups: 200, knobs }).rows('limit=250') as unknown as Shown[];
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
    const [group] = shown({ omissions: 'samples' });

    expect(group?.suggested_refund).not.toHaveProperty('handling_fee');
    expect(group?.order).not.toHaveProperty('tags');
    expect(group?.returns[0]).not.toHaveProperty('discount_total');
    expect(group?.returns[0]).toMatchObject({
      type: 'return',
      id: expect.any(Number),
      total: expect.anything(),
    });
  });

  it('leave out optional nulls, and empty arrays are null, if they are as in samples', () => {
    const groups = shown({ omissions: 'samples' });

    expect(groups.every((group) => !('credit_method' in group) || group.credit_method !== null)).toBe(true);
    expect(groups.some((group) => group.return_outcome === null)).toBe(true);
    expect(groups.some((group) => group.refund_transactions === null)).toBe(true);
  });

  it('have only ids, statuses, stamps and arrays with entities if everything else is omitted', () => {
    const groups = shown({ omissions: 'all' });

    const fields = new Set(groups.flatMap((group) => Object.keys(group)));

    expect([...fields].sort()).toEqual([
      ...['created_at', 'exchange_line_items', 'id', 'refund_transactions'],
      ...['returns', 'shipments', 'updated_at'],
    ]);
    expect(groups.some((group) => group.refund_transactions === undefined)).toBe(true);
    expect(Object.keys(groups[0]?.returns[0] ?? {}).sort()).toEqual(['created_at', 'id', 'status']);
  });

  it('have fields that the document does not list, if configured', () => {
    const [group] = shown({ newFields: true });

    expect(group).toHaveProperty('channel', 'portal');
    expect(group?.returns[0]).toHaveProperty('condition', 'UNOPENED');
    expect(DOCUMENTED_RESOURCES.ReturnGroup.safeParse(group).success).toBe(true);
  });

  it('lack different arrays and nulls at random if these flicker', () => {
    const service = aService({ groups: 100, knobs: { flickers: true } });

    const [first, second] = [service.ask().body, service.ask().body];

    expect(first).not.toBe(second);
  });

  it('have their entities in another order each time if ties are unstable', () => {
    const service = aService({ groups: 100, knobs: { ties: 'unstable' } });
    const read = () => service.rows().map((group) => group.returns.map((item) => item.id));

    const [first, second] = [read(), read()];

    expect(first).not.toEqual(second);
    expect(first.map((items) => items.sort())).toEqual(second.map((items) => items.sort()));
  });

  it('are unreadable in every way, always the same way for a group', () => {
    const knobs = { unreadableEvery: 3 };
    const service = aService({ groups: 200, knobs });

    const rows = service.rows('limit=250') as unknown[];
    const objects = rows.filter((row) => typeof row === 'object' && row !== null);
    const groups = objects.filter((row): row is Shown => 'returns' in row);

    expect(service.rows('limit=250')).toEqual(rows);
    expect(rows).toContain('return group unavailable');
    expect(rows).toContain(null);
    expect(groups.some((group) => group.id === undefined)).toBe(true);
    expect(groups.some((group) => typeof group.id === 'string')).toBe(true);
    expect(groups.some((group) => group.created_at === 'yesterday')).toBe(true);
    expect(groups.some(({ id }) => typeof id === 'number' && !Number.isSafeInteger(id))).toBe(true);
    const whole = groups.filter((group) => Number(group.id) % 3 !== 0 && group.created_at !== 'yesterday');
    for (const group of whole.filter(({ id }) => Number.isSafeInteger(id))) {
      expect(DOCUMENTED_RESOURCES.ReturnGroup.safeParse(group).success).toBe(true);
    }
  });

  it('have a field or an entity that can’t be read, in every way, if broken', () => {
    const rows = aService({ groups: 200, knobs: { brokenEvery: 1 } }).rows('limit=250');

    expect(rows.some(({ updated_at }) => updated_at === 'yesterday')).toBe(true);
    expect(rows.some(({ returns }) => !('status' in (returns[0] ?? {})))).toBe(true);
    expect(rows.some(({ returns }) => !Number.isSafeInteger(returns[0]?.id))).toBe(true);
    expect(rows.some(({ returns }) => new Set(returns.map(({ id }) => id)).size < returns.length)).toBe(true);
    expect(rows.every((row) => parseReturnGroup(row).kind === 'readable')).toBe(true);
  });

  it('mean the same if their values are converted', () => {
    const read = (knobs: object) =>
      aService({ groups: 100, knobs })
        .rows('limit=250')
        .map((row) => parseReturnGroup(row));

    const converted = read({ values: 'converted' });

    expect(converted).toEqual(read({}));
  });

  it('have no `updated_at` before their first change, if configured', () => {
    const rows = aService({ groups: 100, knobs: { nullStamps: 'never-updated' } }).rows('limit=250');

    expect(rows.some(({ updated_at }) => updated_at === null)).toBe(true);
    expect(rows.every(({ created_at, updated_at }) => updated_at !== created_at)).toBe(true);
  });

  it('have unlisted statuses from the start, if configured', () => {
    const groups = shown({ unlistedStatuses: 0.5 });

    const statuses = groups.flatMap((group) => group.returns.map((item) => item.status));

    expect(statuses).toContain('ON_HOLD');
    expect(statuses).toContain('COMPLETED');
  });
});
