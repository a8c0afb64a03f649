// G1: a look-up that always fails must not prevent the removal of the groups after it from being published.
import { expect, it } from 'vitest';
import { type Answer, jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createSourceWorld } from '../source-world.ts';

// Before, each tick ended with a look-up that was refused like one with a wrong token, or as one too many.
it.each([500, 401, 403, 429])(
  'publishes removals although the look-up of another missing group is answered with %i',
  async (status) => {
    const world = createSourceWorld({ settings: { reconcileMs: 120_000, settleMs: 1_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    const ids = world.oldestFirst();
    const [broken, gone] = [ids[0] ?? 0, ids[5] ?? 0];
    for (const id of [broken, gone]) world.control.remove(id);
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === String(broken) ? jsonAnswer(status, {}) : undefined;
    for (let minute = 0; minute < 90; minute += 1) await world.nextTick(session);
    expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
  },
);

// Seed 619903: look-ups of the group that had to confirm each removal were never answered.
it('publishes removals although the look-up of the group that confirms them fails', async () => {
  const world = createSourceWorld({ settings: { reconcileMs: 120_000, settleMs: 1_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  const gone = Number(world.control.snapshot()[5]?.id);
  world.control.remove(gone);
  let broken: string | undefined;
  world.network.intercept = ({ query }) => {
    const id = query.get('return_group_id');
    if (id === null || id === String(gone)) return undefined;
    broken ??= id;
    return id === broken ? jsonAnswer(500, {}) : undefined;
  };

  for (let minute = 0; minute < 10; minute += 1) await world.nextTick(session);

  expect(broken).toBeDefined();
  expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
});

const NO_ANSWER: Answer = { status: 200, headers: {}, body: '', delivery: 'hang', afterMs: 0 };

// Before, each tick ended with these look-ups, before the walk's position was saved.
it.each([
  ['are refused', jsonAnswer(400, {})],
  ['fail', jsonAnswer(500, {})],
  ['get no answer', NO_ANSWER],
  ['are cut off', { ...NO_ANSWER, delivery: 'reset' }],
  ['are refused like a wrong token', jsonAnswer(403, {})],
] as const)('ends the walk although look-ups of all groups that exist %s', async (_, answer) => {
  const world = createSourceWorld({
    groups: 60,
    settings: { reconcileMs: 300_000 },
    knobs: { limitMax: 20 },
  });
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1)
      await world.nextTick(world.startProcess(`p${world.time.elapsed()}`));
  };
  await ticks(15);
  const gone = world.oldestFirst()[3] as number;
  world.control.remove(gone);
  world.network.intercept = ({ query }) =>
    query.has('return_group_id') && query.get('return_group_id') !== String(gone) ? answer : undefined;
  await ticks(30);
  const before = world.time.now();

  await ticks(30);

  const { setAside, reconciliation } = await world.state();
  expect(reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
  expect(setAside).toMatchObject([
    { groupId: gone, reason: expect.stringContaining('which would confirm that') },
  ]);

  world.network.intercept = undefined;
  for (let made = 0; made < 30 && (await world.groupEvents(gone)).length === 0; made += 1) await ticks(1);

  expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
  expect((await world.state()).setAside).toEqual([]);
});

// Before, each walk asked for the same group, the last one that it had seen.
it.each([
  ['a process that stays', 20, 2_000],
  ['new processes', 100, 1_000],
])(
  'publishes removals although one look-up, which has to confirm them, gets no answer (%s)',
  async (kind, limitMax, latencyMs) => {
    const world = createSourceWorld({
      ...{ groups: 300, latencyMs },
      settings: { reconcileMs: 600_000, settleMs: 1_000 },
      knobs: { limitMax, touches: [] },
    });
    const { next: random } = createSeededRandom(3);
    const warm = world.startProcess('a', { random });
    const process = () =>
      kind === 'new processes' ? world.startProcess(`p${world.time.elapsed()}`, { random }) : warm;
    for (let made = 0; made < 45; made += 1) await world.nextTick(process());
    const oldestFirst = world.oldestFirst();
    const gone = [10, 100, 200, 250].map((place) => oldestFirst[place] as number);
    for (const id of gone) world.control.remove(id);
    let broken: string | undefined;
    world.network.intercept = ({ query }) => {
      const id = query.get('return_group_id');
      if (id === null || gone.includes(Number(id))) return undefined;
      broken ??= id;
      return id === broken ? NO_ANSWER : undefined;
    };

    for (let made = 0; made < 90; made += 1) await world.nextTick(process());

    const events = await Promise.all(gone.map((id) => world.groupEvents(id)));
    expect(events.map((each) => each.map(({ type }) => type))).toEqual(
      gone.map(() => ['return_group.removed']),
    );
  },
);

const FAILURE = jsonAnswer(500, {});
const BUSY: Answer = { ...jsonAnswer(429, {}), headers: { 'retry-after': '60' } };
const RESET: Answer = { ...NO_ANSWER, delivery: 'reset' };

// In a large store the next walk over all groups may come days later.
it.each([
  ['look-ups fail for a minute', 1, 1, FAILURE],
  ['look-ups fail for a minute, and polls come every six minutes', 6, 1, FAILURE],
  ['a request is answered with 429, and polls come every six minutes', 6, 1, BUSY],
  ['the service is down for six minutes', 1, 6, RESET],
])('publishes a removal in the same walk although %s', async (_, intervalMinutes, failingMinutes, answer) => {
  const world = createSourceWorld({
    groups: 1_300,
    knobs: { limitMax: 5, touches: [] },
    settings: {
      ...{ intervalMs: intervalMinutes * 60_000, reconcileMs: 300_000 },
      ...{ requestsPerMinute: 60, settleMs: 1_000 },
    },
  });
  const gone = world.oldestFirst()[500] as number;
  world.control.mutate(gone, (draft) => {
    for (const item of draft.returns) item.status = 'COMPLETED';
    for (const shipment of draft.shipments) shipment.status = 'DELIVERED';
    for (const exchange of draft.exchange_line_items) exchange.status = 'PROCESSED';
  });
  const session = world.startProcess('a');
  const next = () => world.nextTick(session, intervalMinutes * 60_000);
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await next();
  world.control.remove(gone);
  let failsFrom: number | undefined;
  world.network.intercept = ({ query }) => {
    const id = query.get('return_group_id');
    if (id !== null && id !== String(gone)) failsFrom ??= world.time.now();
    if (failsFrom === undefined || world.time.now() - failsFrom >= failingMinutes * MINUTE) return undefined;
    const isMeant = answer === RESET || (id !== null && id !== String(gone));
    return isMeant ? answer : undefined;
  };
  while (failsFrom === undefined) await next();

  for (let tick = 0; tick < 12; tick += 1) await next();

  expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
});

// Before, each tick was cut off by the look-ups, and the next one read the same range.
it('ends the walk although lists leave out ten groups that look-ups find, and answers take three seconds', async () => {
  const world = createSourceWorld({
    groups: 300,
    settings: { reconcileMs: 600_000 },
    knobs: { limitMax: 50, touches: [] },
  });
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1)
      await world.nextTick(world.startProcess(`p${world.time.elapsed()}`));
  };
  await ticks(25);
  const hidden = new Set(world.oldestFirst().slice(100, 110));
  world.network.intercept = (request) => {
    const answer = { ...world.reference.service.answer(request), afterMs: 3_000 };
    const isOther = request.query.has('return_group_id') || request.query.has('min_updated_at');
    const rows = isOther ? [] : (JSON.parse(String(answer.body)) as { readonly id: number }[]);
    return isOther ? answer : { ...answer, body: JSON.stringify(rows.filter(({ id }) => !hidden.has(id))) };
  };
  await ticks(60);
  const before = world.time.now();

  await ticks(60);

  expect((await world.state()).reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
});
