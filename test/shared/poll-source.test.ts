import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../local/reference-service/service/answer.ts';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { pollSource } from '../../shared/poll-source.ts';
import { UNKNOWN_POSITION } from '../../shared/position/position.ts';
import { renewState } from '../../shared/source/renew-state.ts';
import { VIRTUAL_START } from '../fakes/virtual-clock.ts';
import { createListWorld } from './list-world.ts';
import { conditions, readReportsOf } from './read-reports.ts';
import { createSourceWorld, SOURCE } from './source-world.ts';

describe('a tick', () => {
  it('is dropped without a request if a tick already had its slot', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    const slot = world.slot();
    await world.tick(session, { slot });
    const requestsBefore = world.requests().length;

    const doubled = await world.tick(session, { slot });
    const late = await world.tick(session, { slot: slot - 60_000 });

    expect([doubled.outcome, late.outcome]).toEqual(['late', 'late']);
    expect(world.requests()).toHaveLength(requestsBefore);
  });

  it('is done by one of two processes that receive it at once', async () => {
    const world = createSourceWorld();
    const [a, b] = [world.startProcess('a'), world.startProcess('b')];
    await world.tick(a);
    await world.time.advance(MINUTE);
    const tick = { slot: world.slot(), durationMs: 50_000 };

    const reports = await world.time.run(Promise.all([pollSource(tick, a), pollSource(tick, b)]));

    expect(reports.map(({ outcome }) => outcome).sort()).toEqual(['done', 'overtaken']);
    expect(reports.find(({ outcome }) => outcome === 'overtaken')).toMatchObject({
      requests: 0,
      state: undefined,
    });
  });

  it('does not poll a source that another process holds until its lease is over', async () => {
    const world = createSourceWorld();
    const [dead, other] = [world.startProcess('dead'), world.startProcess('other')];
    await world.tick(dead);
    await world.time.advance(MINUTE);
    const hung = new Promise<void>(() => {});
    world.network.onRequest = () => hung;
    void pollSource({ slot: world.slot(), durationMs: 50_000 }, dead);
    await world.time.advance(SECOND);
    world.network.onRequest = undefined;
    const requestsBefore = world.requests().length;

    const busy = await world.tick(other);
    const requestsWhileBusy = world.requests().length - requestsBefore;
    const after = await world.nextTick(other, 65_000);

    expect(busy.outcome).toBe('busy');
    expect(busy.state).toBeUndefined();
    expect(requestsWhileBusy).toBe(0);
    expect(after.outcome).toBe('done');
  });

  it('settles nothing after another process has overtaken it', async () => {
    const world = createSourceWorld();
    const [frozen, other] = [world.startProcess('frozen'), world.startProcess('other')];
    await world.tick(frozen);
    await world.time.advance(MINUTE);
    let thaw = () => {};
    const thawed = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    world.network.onRequest = () => thawed;
    const overtaken = pollSource({ slot: world.slot(), durationMs: 50_000 }, frozen);
    await world.time.advance(2 * MINUTE);
    world.network.onRequest = undefined;
    await world.tick(other);
    const settled = await world.state();

    thaw();
    const report = await world.time.run(overtaken);

    expect(report).toMatchObject({ outcome: 'overtaken', state: undefined });
    expect(await world.state()).toEqual(settled);
  });

  it('is not dropped for a slot that only a wrong clock can have taken', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session, { slot: world.slot() + 30 * 60_000 });

    const dropped = await world.nextTick(session);
    await world.tick(session, { slot: world.slot() + 48 * 3_600_000 });
    await world.time.advance(MINUTE);
    const slot = world.slot();
    const kept = await world.tick(session, { slot });

    expect([dropped.outcome, kept.outcome]).toEqual(['late', 'done']);
    expect((await world.state()).lastSlot).toBe(slot);
  });

  it('throws the error of a store, and lets the lease expire', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.setShipment(world.someGroup(), 'FAILED');
    const failing = world.startProcess('a', {
      store: { ...world.store, load: () => Promise.reject(new Error('the store is away')) },
    });

    const tick = world.nextTick(failing);

    await expect(tick).rejects.toThrow('the store is away');
    expect((await world.state()).lease).toMatchObject({ owner: 'a', expiresAt: expect.any(Number) });
    expect((await world.nextTick(session)).outcome).toBe('done');
  });

  it('throws if its state was restored from elsewhere', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.states.moveTo('a copy');

    const tick = world.nextTick(session);

    await expect(tick).rejects.toMatchObject({ name: 'RestoredStateError' });
  });
});

describe('a pause that the service asked for', () => {
  it('is kept by the process that was asked, also if its clock is set back, and by others as stored', async () => {
    const world = createListWorld();
    world.addMany(3, MINUTE);
    const [asked, other] = [world.startProcess('a'), world.startProcess('b')];
    await world.tick(asked);
    // As after a pause that is over, by a clock that was set back since.
    await world.rewrite((state) => ({ ...state, pausedUntil: world.now() + 30 * MINUTE }));

    const own = await world.nextTick(asked);
    await world.rewrite((state) => ({ ...state, pausedUntil: world.now() + 30 * MINUTE }));
    const others = await world.nextTick(other);

    expect(own.polls).toBeGreaterThan(0);
    expect(others.polls).toBe(0);
  });
});

describe('a refused token', () => {
  it('is reported, and makes the source rest longer each time until a token is accepted', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const token = world.network.token;
    world.network.token = 'a-revoked-token';
    const cold = world.startProcess('a');
    const triedAt: number[] = [];
    for (let minute = 1; minute <= 40; minute += 1) {
      const requestsBefore = world.requests().length;
      const report = await world.nextTick(cold);
      if (world.requests().length > requestsBefore) triedAt.push(minute);
      expect(report.outcome).toBe(world.requests().length > requestsBefore ? 'done' : 'resting');
    }

    world.network.token = token;
    for (let minute = 0; minute < 16; minute += 1) await world.nextTick(cold);
    const reports = await conditions(world);

    const pauses = triedAt.slice(1).map((minute, index) => minute - (triedAt[index] ?? 0));
    expect(triedAt.length).toBeLessThan(8);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15);
    expect(reports).toEqual(['feed.source_degraded refused', 'feed.source_recovered']);
    expect((await world.state()).health).toMatchObject({ refusals: 0, degradedSince: undefined });
  });
});

describe('changes', () => {
  it('are published by the next poll, once each', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const group = world.someGroup();
    await world.time.advance(MINUTE);
    world.setShipment(group, 'FAILED');

    const report = await world.tick(session);
    await world.nextTick(session);
    await world.nextTick(session);

    const events = await world.groupEvents(group);
    expect(report.counts.events).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['shipment.status_changed']);
    expect(events[0]?.data.observed.through).toBe('poll');
  });

  it.each([
    ['which comes with the next poll where that is cheap', {}, 0, 1],
    ['in the rhythm of the settings', { reconcileMs: 600_000 }, 8, 3],
  ])('without a newer stamp are published by the next walk, %s', async (_, settings, none, some) => {
    const world = createSourceWorld({ settings, knobs: { touches: [] } });
    const session = world.startProcess('a');
    await world.tick(session);
    const group = world.someGroup();
    await world.time.advance(MINUTE);
    world.setShipment(group, 'FAILED');

    for (let minute = 0; minute < none; minute += 1) await world.nextTick(session);
    const before = await world.groupEvents(group);
    for (let minute = 0; minute < some; minute += 1) await world.nextTick(session);

    const events = await world.groupEvents(group);
    expect(before).toEqual([]);
    expect(events.map(({ type, data }) => [type, data.observed.through])).toEqual([
      ['shipment.status_changed', 'reconciliation'],
    ]);
  });

  it.each([0, 30, 55])(
    'are published by the next poll, by a service clock that is %i s ahead',
    async (seconds) => {
      const world = createListWorld({ settings: { reconcileMs: 600_000 } });
      world.addMany(30, MINUTE, VIRTUAL_START - HOUR);
      const session = world.startProcess();
      for (let minute = 0; minute < 2; minute += 1) await world.nextTick(session);
      await world.time.advance(50 * SECOND);
      world.list.change(7, 'CANCELED', world.now() + seconds * SECOND);

      const report = await world.nextTick(session, 10_000);

      expect(report.counts).toMatchObject({ events: 1, foundByWalks: 0 });
    },
  );

  it('are published by a later poll if their save has a conflict', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const group = world.someGroup();
    await world.time.advance(MINUTE);
    world.setShipment(group, 'FAILED');
    let conflicts = 0;
    const conflicting = world.startProcess('a', {
      store: { ...world.store, save: async () => (++conflicts > 0 ? 'conflict' : 'saved') },
    });

    const report = await world.tick(conflicting, { durationMs: 5_000 });
    await world.nextTick(session);

    expect(report.counts).toMatchObject({ events: 0, left: expect.any(Number) });
    expect(conflicts).toBeGreaterThan(0);
    expect(await world.groupEvents(group)).toHaveLength(1);
  });

  it('of groups that are removed are published after two look-ups', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const group = world.someGroup();
    world.control.remove(group);

    for (let minute = 0; minute < 14; minute += 1) await world.nextTick(session);

    expect((await world.groupEvents(group)).map(({ type }) => type)).toEqual(['return_group.removed']);
  });

  it('of any number of entities are published in one save', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const group = world.someGroup();
    await world.time.advance(MINUTE);
    world.control.mutate(group, (draft) => {
      const [shipment] = draft.shipments;
      for (let id = 1; shipment && id <= 150; id += 1)
        draft.shipments.push({ ...shipment, id: 7_000_000 + id });
    });
    const { saves } = world.counts;

    await world.tick(session);

    expect(await world.groupEvents(group)).toHaveLength(150);
    expect(world.counts.saves - saves).toBe(1);
  });
});

describe('the first reading of a group', () => {
  it('is silent if the group existed before the feed, and an event if it was created later', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const known = world.oldestFirst().filter((group) => group !== world.newest);
    const before = (await Promise.all(known.map((group) => world.groupEvents(group)))).flat();

    const created = Number(world.control.create().groupId);
    await world.nextTick(session);

    expect(before).toEqual([]);
    expect((await world.groupEvents(created))[0]).toMatchObject({
      type: 'return_group.created',
      data: { sequence: 1, observed: { after: null } },
    });
  });

  it('is an event for every group under a baseline that emits, also if a poll finds the group first', async () => {
    const world = createSourceWorld({ settings: { baseline: 'emit' } });

    await world.tick(world.startProcess('a'));

    const created = (await world.events()).filter(({ type }) => type === 'return_group.created');
    expect(created).toHaveLength(41);
    expect(await world.feedEvents()).toMatchObject([{ data: { object: { mode: 'emit', groups: 41 } } }]);
  });

  it('is silent during a silent baseline, also if the group was updated within the lookback', async () => {
    const world = createSourceWorld();
    const group = world.someGroup();
    world.setShipment(group, 'FAILED');

    await world.tick(world.startProcess('a'));

    expect(await world.groupEvents(group)).toEqual([]);
  });
});

describe('a warm process', () => {
  it('does not load unchanged groups', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.setShipment(world.someGroup(), 'FAILED');
    await world.nextTick(session);
    await world.nextTick(session);
    const before = { ...world.counts };

    const report = await world.nextTick(session);

    expect(report.counts.groups).toBeGreaterThan(0);
    expect(world.counts).toEqual(before);
  });

  it('forgets its memory and its budget after another process held the source', async () => {
    const world = createSourceWorld();
    const [a, b] = [world.startProcess('a'), world.startProcess('b')];
    await world.tick(a);
    world.setShipment(world.someGroup(), 'FAILED');
    await world.nextTick(a);
    await world.nextTick(a);
    await world.nextTick(b);
    const { loaded } = world.counts;
    await world.time.advance(MINUTE);
    const startedAt = world.time.now();
    const sentAt: number[] = [];
    world.network.onRequest = () => void sentAt.push(world.time.now() - startedAt);

    const report = await world.tick(a);

    expect(report.counts.groups).toBeGreaterThan(0);
    expect(world.counts.loaded).toBeGreaterThan(loaded);
    expect(sentAt[0]).toBeGreaterThan(0.2 * SECOND);
  });
});

describe('a tick’s end', () => {
  it('stops at once when the caller asks for it, and goes on in the next tick', async () => {
    const world = createSourceWorld({ groups: 400, knobs: { limitMax: 10 } });
    const stop = new AbortController();
    const stopping = world.time.sleep(2_000).then(() => stop.abort());

    const stopped = await world.tick(world.startProcess('a', { signal: stop.signal }));
    await stopping;
    const endedAt = world.time.elapsed();
    const { baselineAt, lanes } = await world.state();

    expect(stopped).toMatchObject({ outcome: 'done', error: undefined });
    expect(endedAt).toBeLessThan(2.1 * SECOND);
    expect(baselineAt).toBeUndefined();
    expect(lanes.recent.round?.stack.length).toBeGreaterThan(0);
  });

  it('comes when its time is over; the walk goes on in the next tick', async () => {
    const world = createSourceWorld({ groups: 400, knobs: { limitMax: 10 } });
    const session = world.startProcess('a');

    const first = await world.tick(session, { durationMs: 5_000 });
    const startedAt = (await world.state()).lanes.recent.round?.startedAt;
    for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);

    expect(first).toMatchObject({ outcome: 'done', failure: undefined });
    expect((await world.state()).position.readAt.recent).toBe(startedAt);
    expect(await world.feedEvents()).toMatchObject([{ type: 'feed.baseline_completed' }]);
  });

  it('releases the lease', async () => {
    const world = createSourceWorld();

    await world.tick(world.startProcess('a'));

    expect((await world.state()).lease).toMatchObject({ owner: 'a', expiresAt: 0 });
  });
});

describe('a report about the source', () => {
  it('says once a minute what is read, as facts', async () => {
    const world = createSourceWorld({ settings: { sourceRead: true, intervalMs: 20_000 } });
    const session = world.startProcess('a');
    for (let third = 0; third < 9; third += 1) await world.nextTick(session, 20_000);

    const reports = await readReportsOf(world);

    expect(reports.length).toBeGreaterThanOrEqual(3);
    expect(reports.length).toBeLessThanOrEqual(4);
    expect(reports.at(-1)).toMatchObject({ held: 0, set_aside: 0, lookback_ms: 300_000, settle_ms: 60_000 });
    const polled = reports.map(({ polled_at }) => String(polled_at));
    expect(polled).toEqual(polled.toSorted());
  });

  it.each([
    ['that fails', 'error'],
    ['that hangs', 'hang'],
  ] as const)('counts a row %s until it is read, whatever its moments say', async (_, failsBy) => {
    const world = createListWorld({ settings: { sourceRead: true }, knobs: { failsBy } });
    world.addMany(30, HOUR, VIRTUAL_START - HOUR);
    const session = world.startProcess();
    for (let minute = 0; minute < 3; minute += 1) await world.nextTick(session);
    const reports = async () =>
      (await world.eventsOf('read')).flatMap(({ data: { object } }) =>
        object.type === 'source_read' ? [object] : [],
      );
    const changedAt = world.now();
    world.list.change(7, 'CANCELED', changedAt);
    world.list.knobs.failing = new Set([7]);

    for (let minute = 0; minute < 40; minute += 1) await world.nextTick(session);
    const claims = (await reports()).filter(
      ({ polled_at }) => Date.parse(String(polled_at)) * MILLISECOND > changedAt + 6 * MINUTE,
    );
    const unknown = await world.eventsOf(7);
    world.list.knobs.failing = new Set();
    const late: [number, number][] = [];
    for (let minute = 0; minute < 25; minute += 1) {
      await world.nextTick(session);
      late.push([(await reports()).at(-1)?.set_aside ?? 0, (await world.eventsOf(7)).length]);
    }

    expect(unknown).toEqual([]);
    expect(claims.length).toBeGreaterThan(20);
    expect(claims.filter(({ set_aside }) => set_aside === 0)).toEqual([]);
    expect(late.filter(([aside, events]) => aside === 0 && events === 0)).toEqual([]);
    expect(late.at(-1)).toEqual([0, 1]);
  });

  it('is made when it is degraded by an outage, with the last error, and when it has recovered', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.network.intercept = () => jsonAnswer(500, {});

    const failed = await world.nextTick(session);
    for (let minute = 0; minute < 7; minute += 1) await world.nextTick(session);
    const { reasons } = (await world.state()).health;
    world.network.intercept = undefined;
    for (let minute = 0; minute < 12; minute += 1) await world.nextTick(session);

    expect(failed).toMatchObject({ polls: 0, failure: { code: 'failing' } });
    expect(reasons).toMatchObject([{ code: 'stalled', message: expect.stringContaining('500') }]);
    expect(await conditions(world)).toEqual(['feed.source_degraded stalled', 'feed.source_recovered']);
  });

  it('names values that the service’s document does not list, each once', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.setShipment(world.someGroup(), 'LOST');

    await world.nextTick(session);
    await world.nextTick(session);

    const drift = (await world.feedEvents()).filter(({ type }) => type === 'feed.drift_detected');
    expect(drift).toMatchObject([{ data: { object: { findings: [expect.stringContaining('LOST')] } } }]);
  });
});

it.each([
  ['one where both would read the same', 60_000, 1],
  ['the newest changes and all since the cursor', 20_000, 2],
])('reports its source and the complete rounds of polls: %s', async (_, intervalMs, polls) => {
  const world = createSourceWorld({ settings: { intervalMs } });

  const report = await world.tick(world.startProcess('a'));

  expect(report).toMatchObject({ source: SOURCE, outcome: 'done', polls, error: undefined });
});

it.each([
  ['every five seconds', 5_000, 5 * SECOND],
  ['each minute', 60_000, MINUTE],
  ['every five minutes', 300_000, 5 * MINUTE],
])('reports when polls are due again, by slots: %s', async (_, intervalMs, interval) => {
  const world = createListWorld({ settings: { intervalMs } });
  world.addMany(3, MINUTE);
  const session = world.startProcess();
  const first = await world.tick(session);

  const second = await world.nextTick(session, intervalMs + 1_000);

  expect(first.pollsAt).toBe(VIRTUAL_START + interval);
  expect(second.pollsAt).toBe(VIRTUAL_START + 2 * interval);
});

it('costs no more than polls and a tenth of the budget while nothing changes, however frequent polls are', async () => {
  const world = createListWorld({ settings: { intervalMs: 5_000 } });
  world.addMany(3, MINUTE);
  const session = world.startProcess();
  await world.nextTick(session);
  const before = world.list.requests.length;
  const startedAt = world.now();

  while (world.now() < startedAt + 10 * MINUTE) await world.nextTick(session, 5_000);

  const perMinute = (world.list.requests.length - before) / ((world.now() - startedAt) / MINUTE);
  // 12 of `fresh`, one of `late`, and 24 of walks.
  expect(perMinute).toBeLessThanOrEqual(12 + 1 + 24);
});

describe('a restored source', () => {
  it('finds a new origin, and polls go on from where they were', async () => {
    const world = createListWorld();
    world.addMany(30, MINUTE, world.now() - HOUR);
    const session = world.startProcess();
    for (let minute = 0; minute < 10; minute += 1) await world.nextTick(session);
    const before = await world.state();
    const changedAt = world.now();
    world.list.add(99, changedAt);

    await world.rewrite((state) => renewState(state, state.mintedIn, world.now()));
    const restored = await world.state();
    await world.nextTick(world.startProcess('b'));

    const { position, generation } = await world.state();
    expect(restored.position).toEqual({ ...UNKNOWN_POSITION, cursor: before.position.cursor });
    expect(position).toMatchObject({ origin: changedAt, cursor: before.position.cursor });
    expect(generation > before.generation).toBe(true);
    expect(await world.recorded()).toHaveLength(31);
  });
});
