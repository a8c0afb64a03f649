import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../shared/instant.ts';
import { pollSource } from '../../shared/poll-source.ts';
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

describe('a refused token', () => {
  it('is reported once, and makes the source rest longer each time until a token is accepted', async () => {
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
    const reports = (await world.feedEvents()).map(({ type }) => type);

    const pauses = triedAt.slice(1).map((minute, index) => minute - (triedAt[index] ?? 0));
    expect(triedAt.length).toBeLessThan(8);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15);
    expect(reports.filter((type) => type !== 'feed.baseline_completed')).toEqual([
      'feed.source_degraded',
      'feed.source_recovered',
    ]);
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
  });

  it('are not settled if their save has a conflict, and are published by a later poll', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    for (let minute = 0; minute < 7; minute += 1) await world.nextTick(session);
    const group = world.someGroup();
    await world.time.advance(MINUTE);
    world.setShipment(group, 'FAILED');
    const changedAt = world.time.now();
    const conflicting = world.startProcess('a', { store: { ...world.store, save: async () => 'conflict' } });

    const reports = [await world.tick(conflicting)];
    for (let minute = 0; minute < 8; minute += 1) reports.push(await world.nextTick(conflicting));
    const stuckAt = (await world.state()).settledThrough;
    await world.nextTick(session);

    expect(reports.every(({ counts }) => counts.left > 0)).toBe(true);
    expect(stuckAt).toBeLessThanOrEqual(changedAt);
    expect(await world.groupEvents(group)).toHaveLength(1);
  });

  it('in readings that may be stale are left, and published by a later poll', async () => {
    const world = createSourceWorld({
      knobs: { touches: [] },
      settings: { settleMs: 120_000, lookbackMs: 600_000 },
    });
    const session = world.startProcess('a');
    await world.tick(session);
    const group = Number(world.control.create().groupId);
    await world.nextTick(session);
    world.control.mutate(group, (draft) => {
      const [item] = draft.returns;
      if (item !== undefined) item.status = 'CANCELED';
    });

    const left = await world.nextTick(session);
    const beforeSettle = (await world.groupEvents(group)).filter(({ type }) =>
      type.endsWith('status_changed'),
    );
    await world.nextTick(session);
    await world.nextTick(session);

    const after = (await world.groupEvents(group)).filter(({ type }) => type.endsWith('status_changed'));
    expect(left.counts.left).toBeGreaterThan(0);
    expect(beforeSettle).toEqual([]);
    expect(after).toHaveLength(1);
  });
});

describe('the first reading of a group', () => {
  it('is silent if the group existed before the feed, and an event if it was created later', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);

    const before = (await world.events()).flatMap(({ data }) =>
      'return_group' in data && data.return_group.id !== world.newest ? [data.return_group.id] : [],
    );
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
    const session = world.startProcess('a');

    await world.tick(session);

    const created = (await world.events()).filter(({ type }) => type === 'return_group.created');
    expect(created).toHaveLength(41);
    expect((await world.state()).baseline).toMatchObject({ mode: 'emit', status: 'completed' });
  });

  it('is an event during a silent baseline if the group was updated within the lookback', async () => {
    const world = createSourceWorld();
    const group = world.someGroup();
    world.setShipment(group, 'FAILED');
    const session = world.startProcess('a');

    await world.tick(session);

    expect((await world.groupEvents(group)).map(({ type }) => type)).toContain('return_group.created');
  });

  // The stamps' clock sets the start; it stands still while nothing changes. If the `Date` of a service is ahead of its
  // stamps, a start by `Date` would be later than the stamps, and lose the changes since.
  it('is an event during a silent baseline if the update is within the lookback before the newest stamp', async () => {
    const world = createSourceWorld();
    const [silent, announced, newest] = world.control
      .snapshot()
      .flatMap(({ id, shipments }) => (shipments.length > 0 ? [Number(id)] : []));
    const change = async (group: number | undefined, secondsLater: number) => {
      world.setShipment(group ?? 0, 'FAILED');
      await world.time.advance(secondsLater * SECOND);
    };
    await change(silent, 10);
    await change(announced, 295);
    await change(newest, 90);

    await world.tick(world.startProcess('a'));

    const events = await Promise.all([silent, announced, newest].map((id) => world.groupEvents(id ?? 0)));
    expect(events.map(({ length }) => length > 0)).toEqual([false, true, true]);
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

  it('clears its memory after another process held the source', async () => {
    const world = createSourceWorld();
    const [a, b] = [world.startProcess('a'), world.startProcess('b')];
    await world.tick(a);
    world.setShipment(world.someGroup(), 'FAILED');
    await world.nextTick(a);
    await world.nextTick(a);
    await world.nextTick(b);
    const { loaded } = world.counts;

    const report = await world.nextTick(a);

    expect(report.counts.groups).toBeGreaterThan(0);
    expect(world.counts.loaded).toBeGreaterThan(loaded);
  });
});

it('reports the name of its source', async () => {
  const world = createSourceWorld();

  const report = await world.tick(world.startProcess('a'));

  expect(report).toMatchObject({ source: SOURCE, outcome: 'done', polls: 1, error: undefined });
});
