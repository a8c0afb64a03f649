// The brake: a mass change without newer stamps. Pages of walks in virtual time.
import { describe, expect, it } from 'vitest';
import { compareReading } from '../../../shared/comparing/compare-reading.ts';
import { brake, brakeOlder, isJudged } from '../../../shared/guarding/brake.ts';
import type { ComparedReading } from '../../../shared/guarding/compared-reading.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/instant.ts';
import { createWalkLane } from '../../../shared/lanes/walk-lanes.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, aState, lanesWith } from '../a-state.ts';
import { OPTIONS, read, snapshotOf } from '../comparing/a-reading.ts';
import { createListWorld, type ListWorld } from '../list-world.ts';
import { failed } from '../recording/recorder-under-test.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';

const NOW = VIRTUAL_START;
/** Groups that an answer shows with stamps before the known ones. */
function olderOnes(count: number): ComparedReading[] {
  return Array.from({ length: count }, (_, index) => {
    const row = sampleRow(index + 1);
    const snapshot = snapshotOf(read(row));
    const older = { ...failed(index + 1), updated_at: row.created_at };
    const reading = read(older, 3_600);
    return { snapshot, reading, compared: compareReading(snapshot, reading, OPTIONS) };
  });
}
const times = (count: number, differs: boolean) => Array.from({ length: count }, () => differs);

describe('the brake', () => {
  it.each([
    ['20 of 39', [...times(19, false), ...times(20, true)], true],
    ['20 of 40', [...times(20, false), ...times(20, true)], false],
    ['19 of 19', times(19, true), false],
    ['31 of the last 60', [...times(200, false), ...times(31, true)], true],
    ['30 of the last 60', [...times(200, false), ...times(30, true)], false],
    ['31 in the middle of a page', [...times(60, false), ...times(31, true), ...times(60, false)], true],
  ])('holds from 20 of the last 60 groups on, and more than half of them: %s', (_, differs, holds) => {
    const { holds: standing } = brake(aState(), differs, [], NOW);

    expect(standing).toMatchObject(holds ? [{ kind: 'mass_change', phase: 'holding' }] : []);
  });

  it('judges pages together, also those of another walk', () => {
    const first = brake(aState(), [...times(30, false), ...times(16, true)], [], NOW);
    const second = brake(first, times(15, true), [], NOW);

    expect(first).toMatchObject({ holds: [], compared: expect.stringMatching(/^0{30}1{16}$/) });
    expect(second.holds).toHaveLength(1);
    expect(second.compared).toBe('');
  });

  it.each([
    ['four hours after its last walk', HOUR, 4 * HOUR],
    ['the time of two walks, if that is longer', 12 * HOUR, 12 * HOUR],
  ])('judges `recent` up to %s', (_, twoWalks, within) => {
    const position = aPosition({ readAt: { late: NOW, recent: NOW - within, older: undefined } });
    const state = aState({ position, lanes: lanesWith({ recent: { endedAt: NOW - MINUTE } }) });

    const judged = [NOW, NOW + 1].map((now) => isJudged(state, 'recent', twoWalks, now));

    expect(judged).toEqual([true, false]);
    expect(isJudged(state, 'older', twoWalks, NOW + DAY)).toBe(true);
  });

  it('does not judge `recent` after a walk that a longer pause has interrupted', () => {
    const position = aPosition({ readAt: { late: NOW, recent: NOW - 5 * HOUR, older: undefined } });
    const state = aState({ position, lanes: lanesWith({ recent: { endedAt: NOW - MINUTE } }) });

    expect(isJudged(state, 'recent', HOUR, NOW)).toBe(false);
  });

  it.each([
    ['21 groups', 21, 0, 100, true],
    ['20 groups', 20, 0, 100, false],
    ['20 groups beside one that is looked up for that', 20, 1, 100, true],
    ['30 of 3,000 groups', 30, 0, 3_000, false],
    ['more than can be looked up', 501, 0, 100_000, true],
  ])(
    'holds an answer that shows %s with stamps before the known ones: %s',
    (_, count, lookedUp, groups, holds) => {
      const lookUps = Array.from({ length: lookedUp }, (_, id) => ({
        groupId: 9_000 + id,
        dueAt: NOW,
        olderSince: NOW,
      }));
      const state = aState({ lookUps, lanes: lanesWith({ recent: { groups } }) });

      const after = brakeOlder(state, olderOnes(count), NOW);

      expect(after.holds).toMatchObject(holds ? [{ kind: 'mass_change', count: count + lookedUp }] : []);
      expect(after.lookUps).toEqual(holds ? [] : lookUps);
    },
  );

  it('does not judge while it holds, nor the walk that ends a hold', () => {
    const holding = brake(aState(), times(20, true), [], NOW);
    const publishing = {
      ...holding,
      holds: holding.holds.map((hold) => ({ ...hold, phase: 'publishing' as const })),
    };

    const judged = [holding, publishing].map((state) => isJudged(state, 'older', DAY, NOW));
    expect(judged).toEqual([false, false]);
  });
});

const COUNT = 40;
const ALL = Array.from({ length: COUNT }, (_, index) => index + 1);

interface Braked extends ListWorld {
  readonly session: SourceSession;
  minutes(count: number): Promise<void>;
  changeAll(status: string): void;
  published(): Promise<number>;
  phase(): Promise<string | undefined>;
}

/** A source that is polled each minute, with groups that all change at once without a newer stamp. */
async function aBrakedSource(): Promise<Braked> {
  const world = createListWorld();
  world.addMany(COUNT, HOUR, VIRTUAL_START - DAY);
  // Polls read the newest group again and again: not one of those that change.
  world.list.add(1_000, VIRTUAL_START);
  const session = world.startProcess();
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) await world.nextTick(session);
  };
  const changeAll = (status: string) => {
    for (const id of ALL) world.list.change(id, status);
  };
  await minutes(2);
  changeAll('CANCELED');
  await minutes(10);
  return {
    ...{ ...world, session, minutes, changeAll },
    async published() {
      let count = 0;
      for (const id of ALL) count += (await world.eventsOf(id)).length;
      return count;
    },
    phase: async () => (await world.state()).holds.find(({ kind }) => kind === 'mass_change')?.phase,
  };
}

describe('a mass change', () => {
  it('is held and reported', async () => {
    const { published, phase, state } = await aBrakedSource();

    expect([await published(), await phase()]).toEqual([0, 'holding']);
    expect((await state()).health.reasons).toMatchObject([{ code: 'mass_change' }]);
  });

  it.each([1, 4, 6, 12])('is held where walks are %i hours apart', async (hours) => {
    const world = createListWorld({ settings: { reconcileMs: hours * 3_600_000 } });
    world.addMany(COUNT, HOUR, VIRTUAL_START - DAY);
    world.list.add(1_000, VIRTUAL_START);
    const session = world.startProcess();
    const untilAWalk = async () => {
      for (let hour = 0; hour < hours; hour += 1) await world.nextTick(session, 3_600_000);
    };
    await world.nextTick(session);
    await untilAWalk();
    for (const id of ALL) world.list.change(id, 'CANCELED');

    await untilAWalk();

    expect((await world.state()).holds).toMatchObject([{ kind: 'mass_change', phase: 'holding' }]);
    expect((await Promise.all(ALL.map(world.eventsOf))).flat()).toEqual([]);
  });

  it('is reported by return group and field: its values are in the hold alone', async () => {
    const { state, eventsOf } = await aBrakedSource();

    const { health, holds } = await state();
    const reported = JSON.stringify([health, await eventsOf('feed')]);

    expect(holds[0]?.samples[0]).toMatchObject({ before: 'OPEN', after: 'CANCELED' });
    expect(reported).toMatch(/: return_line_item\/\d+ status/);
    expect(reported).not.toMatch(/OPEN|CANCELED/);
  });

  it('is published by the first walk that begins an hour later, and does not trip the brake again', async () => {
    const { published, phase, minutes } = await aBrakedSource();

    await minutes(50);
    const before = await published();
    await minutes(25);

    expect([before, await published(), await phase()]).toEqual([0, COUNT, undefined]);
  });

  it('is dropped if the old state shows again', async () => {
    const { published, phase, minutes, changeAll } = await aBrakedSource();

    changeAll('OPEN');
    await minutes(75);

    expect([await published(), await phase()]).toEqual([0, undefined]);
  });

  it('is published at once when an operator releases it', async () => {
    const { published, phase, minutes, rewrite, now } = await aBrakedSource();

    await rewrite((state) => {
      const released = releaseHold(state, 1, now());
      return released.outcome === 'released' ? released.state : state;
    });
    await minutes(2);

    expect([await published(), await phase()]).toEqual([COUNT, undefined]);
  });

  it('is taken over without events when an operator adopts it; later events start from what was published', async () => {
    const { published, phase, minutes, rewrite, now, list, eventsOf } = await aBrakedSource();

    await rewrite((state) => {
      const released = releaseHold(state, 1, now(), 'adopt');
      return released.outcome === 'released' ? released.state : state;
    });
    await minutes(2);
    const adopted = await published();
    list.change(7, 'RECEIVED', now());
    await minutes(2);

    expect([adopted, await phase()]).toEqual([0, undefined]);
    expect(await eventsOf(7)).toMatchObject([
      { type: 'return_line_item.status_changed', data: { previous_attributes: { status: 'OPEN' } } },
    ]);
  });

  it('holds back readings of polls as well, but no change with a newer stamp', async () => {
    const { minutes, list, now, eventsOf, published } = await aBrakedSource();

    list.change(7, 'RECEIVED', now());
    await minutes(3);

    expect(await eventsOf(7)).toMatchObject([{ type: 'return_line_item.status_changed' }]);
    expect(await published()).toBe(1);
  });

  it('of older groups is published by a walk over these', async () => {
    const world = createListWorld({ settings: { requestsPerMinute: 600, reconcileMs: 1_000 } });
    world.addMany(COUNT, HOUR, VIRTUAL_START - 60 * DAY);
    world.addMany(500, MINUTE, VIRTUAL_START - HOUR, 1_000);
    const run = world.begin();
    await world.states.save({ ...run.state, version: 1 }, 0);
    run.update((state) => ({ ...state, version: 1 }));
    const [recent, older] = [createWalkLane(run, 'recent'), createWalkLane(run, 'older')];
    for (const lane of [recent, recent, older]) await world.time.run(lane.work());
    await world.time.advance(10 * MINUTE);
    for (const id of ALL) world.list.change(id, 'CANCELED');
    const published = async () => (await Promise.all(ALL.map(world.eventsOf))).flat().length;

    await world.time.run(older.work());
    const held = [await published(), run.state.holds[0]?.phase];
    await world.time.advance(HOUR);
    await world.time.run(recent.work());
    const released = [await published(), run.state.holds[0]?.phase];
    await world.time.run(older.work());

    expect(held).toEqual([0, 'holding']);
    expect(released).toEqual([0, 'publishing']);
    expect([await published(), run.state.holds]).toEqual([COUNT, []]);
  });
});
