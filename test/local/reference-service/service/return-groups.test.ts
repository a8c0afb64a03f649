import { describe, expect, it } from 'vitest';
import { aService, parameter } from '../a-service.ts';

const ids = (rows: readonly { id: number }[]) => rows.map((row) => row.id);

describe('GET /v2/return-groups', () => {
  it('lists groups without any parameter, and pages through all of them by offset', () => {
    const service = aService({ groups: 130 });

    const first = service.rows();
    const pages = [0, 40, 80, 120, 160].map((offset) => service.rows(`limit=40&offset=${offset}`));

    expect(first).toHaveLength(50);
    expect(pages.map((page) => page.length)).toEqual([40, 40, 40, 10, 0]);
    expect(new Set(ids(pages.flat())).size).toBe(130);
  });

  it('treats null like an omitted parameter', () => {
    const service = aService();

    const withNulls = service.rows(
      'return_group_id=null&email=null&min_created_at=null&limit=null&offset=null',
    );

    expect(withNulls).toEqual(service.rows());
  });

  it('reports every parameter of a wrong type, like FastAPI', () => {
    const service = aService();

    const answer = service.ask(
      'return_group_id=abc&order_id=1.5&limit=ten&offset=-1&min_created_at=yesterday&max_updated_at=2026-11-20&min_shipped_at=2026-11-20T10:00:00+02:00',
    );

    const { detail } = JSON.parse(answer.body) as { detail: { loc: string[]; msg: string; type: string }[] };
    expect(answer.status).toBe(422);
    expect(detail.map(({ loc, type }) => [...loc, type])).toEqual([
      ['query', 'return_group_id', 'int_parsing'],
      ['query', 'order_id', 'int_parsing'],
      ['query', 'min_created_at', 'datetime_from_date_parsing'],
      ['query', 'max_updated_at', 'datetime_from_date_parsing'],
      // An unencoded plus arrives as a space.
      ['query', 'min_shipped_at', 'datetime_from_date_parsing'],
      ['query', 'limit', 'int_parsing'],
      ['query', 'offset', 'greater_than_equal'],
    ]);
    expect(detail.every(({ msg }) => msg.startsWith('Input should be'))).toBe(true);
  });

  it.each([
    ['clamp', 200, '[]'],
    ['refuse', 422, 'Input should be less than or equal to 24'],
  ] as const)('ends every list at its last row: %s', (limitOver, status, body) => {
    const service = aService({ groups: 60, knobs: { offsetMax: 25, limitOver } });

    const shown = [0, 10, 20].map((offset) => service.rows(`limit=10&offset=${offset}`).length);
    const behind = service.ask('limit=10&offset=25');

    expect(shown).toEqual([10, 10, 5]);
    expect(behind).toMatchObject({ status, body: expect.stringContaining(body) });
  });

  it('clamps a limit silently, or refuses it', () => {
    const clamping = aService({ groups: 60, knobs: { limitMax: 20 } });
    const refusing = aService({ groups: 60, knobs: { limitMax: 37, limitOver: 'refuse' } });

    const clamped = clamping.rows('limit=100');
    const refused = refusing.ask('limit=38');

    expect(clamped).toHaveLength(20);
    expect(refused.status).toBe(422);
    expect(JSON.parse(refused.body)).toEqual({
      detail: [
        { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 37', type: 'less_than_equal' },
      ],
    });
    expect(refusing.rows('limit=37')).toHaveLength(37);
    expect(refusing.rows()).toHaveLength(37);
  });

  it('ends a page by its bytes, but never before its first row', () => {
    const service = aService({ groups: 60, knobs: { pageBytes: 30_000 } });
    const tiny = aService({ groups: 60, knobs: { pageBytes: 10 } });

    const answer = service.ask('limit=50');

    expect(answer.rows).toBeGreaterThan(1);
    expect(answer.rows).toBeLessThan(50);
    expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(30_000);
    expect(tiny.rows('limit=50')).toHaveLength(1);
  });

  it.each([
    ['500', 500, 'whole'],
    ['reset', 200, 'reset'],
    ['cut', 200, 'cut'],
    ['hang', 200, 'hang'],
    ['nan', 200, 'whole'],
  ] as const)('fails every answer with a failing group, and no other: %s', (failingAs, status, delivery) => {
    const service = aService({ groups: 60, knobs: { order: 'id:asc', failingEvery: 100_030, failingAs } });

    const before = service.rows('limit=29');
    const failed = service.ask('limit=30');

    expect(before).toHaveLength(29);
    expect(failed).toMatchObject({ status, delivery });
    expect(() => JSON.parse(failed.body)).toThrow();
  });

  it('hides groups from a list after the limit, and shows them by id', () => {
    const service = aService({ groups: 60, knobs: { order: 'id:asc', hiddenEvery: 100_005 } });

    const listed = ids(service.rows('limit=10'));
    const lookedUp = ids(service.rows('return_group_id=100005'));

    expect(listed).toHaveLength(9);
    expect(lookedUp).toEqual([100_005]);
  });

  it.each([
    ['none', 0, 0],
    ['updated', 60, 0],
    ['created', 0, 60],
    ['all', 60, 60],
  ] as const)('ignores filters: %s', (ignoredFilters, byUpdate, byCreation) => {
    const service = aService({ groups: 60, knobs: { ignoredFilters } });

    const found = ['updated', 'created'].map(
      (name) => service.rows(`limit=100&min_${name}_at=2099-01-01T00:00:00Z`).length,
    );

    expect(found).toEqual([byUpdate, byCreation]);
  });

  it.each([
    ['inclusive', [true, true]],
    ['exclusive', [false, false]],
    ['half-open', [true, false]],
  ] as const)('includes or excludes bounds: %s', (bounds, expected) => {
    const service = aService({ knobs: { bounds } });
    const [group] = service.rows('offset=20');
    const stamp = parameter(group?.updated_at ?? '');

    const found = [`min_updated_at=${stamp}`, `max_updated_at=${stamp}`].map((query) =>
      ids(service.rows(`${query}&limit=100`)).includes(group?.id ?? 0),
    );

    expect(found).toEqual(expected);
  });

  it('compares bounds with full stamps, also if it shows less of them', () => {
    const service = aService({ knobs: { stampPrecision: 's' } });
    const [group] = service.rows('offset=20');

    const found = service.rows(`max_updated_at=${parameter(group?.updated_at ?? '')}&limit=100`);

    expect(group?.updated_at).toMatch(/:\d\d\+00:00$/);
    expect(ids(found)).not.toContain(group?.id);
  });

  it('reads bounds without a zone in the unnamed zone of its stamps', () => {
    const service = aService({ knobs: { stampForm: 'none:+02:00' } });
    const [group] = service.rows('offset=20');
    const stamp = group?.updated_at ?? '';

    const found = service.rows(`min_updated_at=${stamp}&max_updated_at=${stamp}`);

    expect(stamp).not.toMatch(/[Z+]/);
    expect(ids(found)).toEqual([group?.id]);
  });

  it('reads filters by update in another zone', () => {
    const service = aService({ knobs: { filterSkewSeconds: 3_600 } });
    const [group] = service.rows('offset=20');
    const hourBefore = new Date(Date.parse(group?.updated_at ?? '') - 3_600_000).toISOString();

    const found = [group?.updated_at, hourBefore].map((from) =>
      ids(service.rows(`min_updated_at=${parameter(from ?? '')}&limit=200`)).includes(group?.id ?? 0),
    );

    expect(found).toEqual([false, true]);
  });

  it('filters by each of its parameters, and by all at once', () => {
    const service = aService({ groups: 200 });
    const group = service.control
      .snapshot()
      .find(({ shipments }) => shipments[0]?.shipped_at !== null && shipments.length > 0);
    if (group === undefined) throw new Error('no group was shipped');
    const [shipment] = group.shipments;
    const shippedAt = parameter(String(shipment?.shipped_at));
    const { email } = group.customer as { email: string };
    const order = group.order as { id: number; name: string };
    const queries = [
      `return_group_id=${group.id}`,
      `email=${parameter(email)}`,
      `order_id=${order.id}`,
      `order_name=${parameter(order.name)}`,
      `tracking_code=${String(shipment?.tracking_number)}`,
      `min_shipped_at=${shippedAt}&max_shipped_at=${shippedAt}`,
      `min_created_at=${parameter(String(group.created_at))}&max_created_at=${parameter(String(group.created_at))}`,
    ];

    const answers = [...queries, queries.join('&')].map((query) => ids(service.rows(query)));

    for (const answer of answers) {
      expect(answer).toContain(group.id);
      expect(answer.length).toBeLessThan(4);
    }
  });

  it('uses a lagging replica for the configured share of requests', () => {
    const service = aService({ knobs: { staleShare: 0.3, staleSeconds: 60 } });
    const { groupId } = service.control.create();

    const found = Array.from({ length: 200 }, () => service.rows(`return_group_id=${groupId}`).length);

    const missing = found.filter((count) => count === 0).length;
    expect(missing).toBeGreaterThan(30);
    expect(missing).toBeLessThan(90);
  });

  it('sorts new stamps in the configured order', () => {
    const service = aService({ knobs: { order: 'updated_at:desc', stampForm: 'Z' } });
    service.control.advance(1_000);

    service.control.mutate(100_010, (draft) => {
      draft.return_method = 'SELF_SHIP';
    });

    expect(service.rows('limit=1')[0]).toMatchObject({
      id: 100_010,
      updated_at: '2026-11-20T10:00:01.000000Z',
    });
  });
});
