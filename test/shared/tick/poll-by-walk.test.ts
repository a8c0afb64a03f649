import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import {
  askForWalk,
  notePollByUpdate,
  pollsByWalk,
  settleByWalk,
} from '../../../shared/tick/poll-by-walk.ts';
import { aState } from '../../contract/sample-states.ts';
import { createSourceWorld } from '../source-world.ts';
import { createUnorderedRun, NOW, settledState } from './unordered-run.ts';

describe('a poll is a walk over all groups', () => {
  it('if the list has no order', () => {
    expect(pollsByWalk(createUnorderedRun().run)).toBe(true);
    expect(pollsByWalk(createUnorderedRun({ isUnordered: false }).run)).toBe(false);
  });

  it('if the last poll by update took as many requests as a walk', () => {
    const { run } = createUnorderedRun({ isUnordered: false });

    notePollByUpdate(run, 30, true);
    const asMany = pollsByWalk(run);
    notePollByUpdate(run, 29, true);

    expect([asMany, pollsByWalk(run)]).toEqual([true, false]);
  });

  it('if polls by update took as many requests since the last complete one', () => {
    const { run } = createUnorderedRun({ isUnordered: false });

    notePollByUpdate(run, 30, false);
    notePollByUpdate(run, 10, false);
    const afterIncomplete = pollsByWalk(run);
    notePollByUpdate(run, 10, true);

    expect([afterIncomplete, pollsByWalk(run)]).toEqual([true, false]);
  });

  it('if a cycle is no longer than the time between polls', () => {
    const ofCycle = (reconcileMs: number) =>
      pollsByWalk(
        createUnorderedRun({ isUnordered: false, settings: { intervalMs: 5_000, reconcileMs } }).run,
      );

    expect([ofCycle(5_000), ofCycle(5_001)]).toEqual([true, false]);
  });

  it('never before the baseline is complete, and never while anything is held', () => {
    const { baseline, guarding } = aState('acme');
    const ofState = (changes: object) =>
      pollsByWalk(createUnorderedRun({ state: settledState(30, changes) }).run);

    expect(ofState({ baseline: { ...baseline, status: 'running' } })).toBe(false);
    expect(ofState({ guarding })).toBe(false);
  });

  it('never if a walk does not fit a cycle', () => {
    const ofRequests = (requests: number) =>
      pollsByWalk(createUnorderedRun({ state: settledState(requests) }).run);

    expect([ofRequests(120), ofRequests(121)]).toEqual([true, false]);
  });

  it('never if a cycle is longer than a day: walks are not wanted more often', () => {
    const ofCycle = (reconcileMs: number) =>
      pollsByWalk(createUnorderedRun({ settings: { reconcileMs } }).run);

    expect([ofCycle(86_400_000), ofCycle(86_400_001)]).toEqual([true, false]);
  });

  it('until walks have settled nothing for two minutes, or two intervals in a slow feed', () => {
    const ofInterval = (intervalMs: number, patience: number) => {
      const { run, advance } = createUnorderedRun({ settings: { intervalMs } });
      advance(patience);
      const before = pollsByWalk(run);
      advance(1);
      return [before, pollsByWalk(run)];
    };

    expect(ofInterval(5_000, 2 * MINUTE)).toEqual([true, false]);
    expect(ofInterval(600_000, 20 * MINUTE)).toEqual([true, false]);
  });

  it('again after a walk or a poll by update has settled something', () => {
    const { run, advance } = createUnorderedRun();

    advance(HOUR);
    const given = pollsByWalk(run);
    settleByWalk(run, NOW);
    const afterWalk = pollsByWalk(run);
    advance(HOUR);
    notePollByUpdate(run, 1, true);

    expect([given, afterWalk, pollsByWalk(run)]).toEqual([false, true, true]);
  });
});

describe('a poll by walk', () => {
  it('requests a walk over all groups, also while one is under way', () => {
    const { run } = createUnorderedRun();

    askForWalk(run);

    expect(run.state.reconciliation.all).toMatchObject({ isAsked: true, isUnderWay: false });
  });

  it('settles up to the start of the whole walk, less the lookback', () => {
    const { run } = createUnorderedRun();

    settleByWalk(run, NOW - SECOND);

    expect(run.state.settledThrough).toBe(NOW - SECOND - 5 * MINUTE);
    expect(run.isComplete).toBe(true);
  });

  it('settles an hour less if stamps without a zone may fall back', () => {
    const { run } = createUnorderedRun({ state: settledState(30, { settledThrough: 0 }) });
    const newest = NOW - 5 * HOUR;
    Object.assign(run, { stamps: { ...run.stamps, zoned: false, newest } });

    settleByWalk(run, NOW);

    expect(run.state.settledThrough).toBe(newest - 5 * MINUTE - HOUR);
  });

  it('never moves the settled instant back, and settles nothing unproved', () => {
    const state = settledState(30);
    const { run } = createUnorderedRun({ state });

    settleByWalk(run, NOW - 2 * HOUR);
    const afterOld = run.state.settledThrough;
    const other = createUnorderedRun({ state });
    settleByWalk(other.run, undefined);

    expect(afterOld).toBe(state.settledThrough);
    expect(other.run.state).toBe(state);
    expect(other.run.isComplete).toBe(false);
  });

  it('settles nothing if the walk, or a poll during it, left a newer state unsaved', () => {
    const state = settledState(30);
    const settledWith = (leftNewer: boolean) => {
      const { run } = createUnorderedRun({ state: { ...state, read: { ...state.read, leftNewer } } });
      settleByWalk(run, NOW);
      return run.state.settledThrough;
    };

    expect(settledWith(true)).toBe(state.settledThrough);
    expect(settledWith(false)).toBe(NOW - 5 * MINUTE);
  });

  it('does not make a tick complete if polls are blind', () => {
    const { run } = createUnorderedRun();
    run.pollsAreBlind = true;

    settleByWalk(run, NOW);

    expect(run.isComplete).toBe(false);
  });

  it('does not make a tick complete if its last poll failed', () => {
    const { run } = createUnorderedRun();
    run.pollFailure = new Error('injected by the test');

    settleByWalk(run, NOW);

    expect(run.isComplete).toBe(false);
  });

  it('does not make a tick complete if the next poll is by update', () => {
    const { run } = createUnorderedRun({ isUnordered: false });

    settleByWalk(run, NOW);

    expect(run.isComplete).toBe(false);
    expect(run.state.settledThrough).toBe(NOW - 5 * MINUTE);
  });
});

it('walks alone settle a small store without order, and publish every change', async () => {
  const world = createSourceWorld({
    groups: 60,
    knobs: { limitMax: 20, order: 'random', touches: ['return_group'] },
    settings: { intervalMs: 5_000, reconcileMs: 60_000, settleMs: 3_000, lookbackMs: 30_000 },
  });
  const session = world.startProcess('a');
  const { list } = session;
  for (let tick = 0; tick < 10 && !(list.isUnordered && list.fullPage === 20); tick += 1)
    await world.nextTick(session);
  const groups = world.control.snapshot().flatMap(({ id, shipments }) => (shipments.length > 0 ? [id] : []));
  const coveredBefore = session.requests.counters().covering.sent;

  for (const id of groups) world.setShipment(Number(id), 'FAILED');
  // More than a page of news, so that no poll reads all changes in one page.
  for (const { id } of world.control.snapshot()) {
    world.control.mutate(Number(id), (draft) => {
      draft.return_outcome = 'upsell';
    });
  }
  const changedAt = world.time.now();
  for (let tick = 0; tick < 9; tick += 1) await world.nextTick(session, 5_000);

  const histories = await Promise.all(groups.map((id) => world.groupEvents(Number(id))));
  const state = await world.state();
  expect(list).toMatchObject({ isUnordered: true, fullPage: 20 });
  expect(state.reconciliation.all.lastRequests).toBeLessThan(15);
  expect(session.requests.counters().covering.sent).toBe(coveredBefore);
  expect(state.settledThrough).toBeGreaterThan(changedAt);
  expect(
    histories.filter((events) => !events.some(({ type }) => type === 'shipment.status_changed')),
  ).toEqual([]);
});
