// Groups that were created before the feed began and show for the first time after the baseline: published as backfill,
// or held if they are too many at once.
import { describe, expect, it } from 'vitest';
import { admitBackfill, endBackfillHold } from '../../../shared/guarding/backfill.ts';
import type { Hold } from '../../../shared/guarding/hold.ts';
import { holdBack } from '../../../shared/guarding/holds.ts';
import { type HoldCommand, releaseHold } from '../../../shared/guarding/release-hold.ts';
import { DAY, HOUR, type Instant } from '../../../shared/instant.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition, aState, lanesWith } from '../a-state.ts';
import { createListWorld } from '../list-world.ts';

const NOW = VIRTUAL_START;

/** A state of a source that knows so many groups. */
function knowing(groups: number, changes: Partial<SourceState> = {}): SourceState {
  return aState({ lanes: lanesWith({ recent: { groups: groups - 10 }, older: { groups: 10 } }), ...changes });
}

function held(phase: Hold['phase'] = 'holding', changes: Partial<SourceState> = {}): SourceState {
  const state = holdBack(knowing(100, { backfilled: 21 }), { kind: 'backfill', count: 21 }, NOW);
  return { ...state, holds: state.holds.map((hold) => ({ ...hold, phase })), ...changes };
}

describe('old groups that show for the first time', () => {
  it.each([
    ['twenty', 500, 0, 20, true],
    ['more than twenty', 500, 0, 21, false],
    ['more than twenty with those before', 500, 15, 6, false],
    ['one percent of many groups', 5_000, 0, 50, true],
    ['more than one percent', 5_000, 0, 51, false],
    ['more than twenty while no walk has counted groups', 10, 0, 21, false],
  ])(
    'are admitted up to twenty or one percent since a walk began: %s',
    (_, groups, before, count, isAdmitted) => {
      const admission = admitBackfill(knowing(groups, { backfilled: before }), count, true, NOW);

      expect(admission.isAdmitted).toBe(isAdmitted);
      expect(admission.state.backfilled).toBe(before + count);
      expect(admission.state.holds).toMatchObject(
        isAdmitted ? [] : [{ kind: 'backfill', phase: 'holding', count }],
      );
    },
  );

  it('are held, however few, while the hold stands', () => {
    const { state, isAdmitted } = admitBackfill(held('holding', { backfilled: 0 }), 1, true, NOW + HOUR);

    expect(isAdmitted).toBe(false);
    expect(state.holds).toMatchObject([{ count: 21, since: NOW, phaseSince: NOW + HOUR }]);
  });

  it('are not counted when polls find them again while they are held', () => {
    const admissions = [true, false].map((isCounted) => admitBackfill(held(), 3, isCounted, NOW));

    expect(admissions.map(({ state }) => state.backfilled)).toEqual([24, 21]);
    expect(admissions.map(({ isAdmitted }) => isAdmitted)).toEqual([false, false]);
  });

  it('are counted when polls find them first', () => {
    expect(admitBackfill(knowing(100), 21, false, NOW)).toMatchObject({
      isAdmitted: false,
      state: { backfilled: 21 },
    });
  });

  it.each(['publishing', 'adopting'] as const)(
    'are admitted, however many, while the hold is %s',
    (phase) => {
      const { state, isAdmitted } = admitBackfill(held(phase), 3_000, true, NOW + HOUR);

      expect(isAdmitted).toBe(true);
      expect(state.holds).toMatchObject([{ phase, phaseSince: NOW }]);
    },
  );
});

describe('a hold of old groups', () => {
  const walked = (at: Instant | undefined) => ({
    position: aPosition({ readAt: { late: NOW, recent: NOW + DAY, older: at } }),
  });

  it.each([
    ['ends once walks over all groups have shown none since', held('holding', walked(NOW + 1)), 0],
    ['stands after walks that showed them', held('holding', walked(NOW)), 1],
    ['stands before a walk over older groups', held('holding', walked(undefined)), 1],
    ['stands while it is released', held('publishing', walked(NOW + 1)), 1],
  ])('%s', (_, state, count) => {
    expect(endBackfillHold(state).holds).toHaveLength(count);
  });
});

const COUNT = 30;
const OLD = Array.from({ length: COUNT }, (_, index) => 1_000 + index);

/** A source of which 30 old groups show for the first time, an hour after it began. */
async function aWidenedSource(count = COUNT) {
  const world = createListWorld();
  world.addMany(40, HOUR, NOW - DAY);
  const session = world.startProcess();
  const minutes = async (times: number) => {
    for (let minute = 0; minute < times; minute += 1) await world.nextTick(session);
  };
  await minutes(60);
  for (const id of OLD.slice(0, count)) world.list.add(id, NOW - 9 * DAY + (id - 1_000) * HOUR);
  await minutes(12);
  return {
    ...{ ...world, minutes },
    holds: async () => (await world.state()).holds.map(({ kind, phase }) => `${kind} ${phase}`),
    /** The first events of old groups, and whether they say that they are backfill. */
    published: async () =>
      (await Promise.all(OLD.map(world.eventsOf))).flatMap(([first]) =>
        first === undefined ? [] : `${first.type}${'backfill' in first.data ? ' as backfill' : ''}`,
      ),
    known: async () => (await world.recorded()).filter((id) => id >= 1_000).length,
    end: (command: HoldCommand) =>
      world.rewrite((state) => {
        const ended = releaseHold(state, state.lastHold, world.now(), command);
        return ended.outcome === 'released' ? ended.state : state;
      }),
  };
}

describe('a service that shows more than before', () => {
  it('has each of twenty groups published, as backfill', async () => {
    const { holds, minutes, published } = await aWidenedSource(20);

    await minutes(12);

    expect(await holds()).toEqual([]);
    expect(await published()).toEqual(Array(20).fill('return_group.created as backfill'));
  });

  it('has more of them held, and neither stored nor published, however long that takes', async () => {
    const { holds, minutes, published, known, state } = await aWidenedSource();

    await minutes(90);

    expect(await holds()).toEqual(['backfill holding']);
    expect([await known(), await published()]).toEqual([0, []]);
    expect((await state()).health.reasons).toMatchObject([{ code: 'backfill' }]);
  });

  it('has them published with `backfill` once an operator releases them, and the hold ends', async () => {
    const { holds, minutes, published, end } = await aWidenedSource();

    await end('release');
    await minutes(3);

    expect(await holds()).toEqual([]);
    expect(await published()).toEqual(Array(COUNT).fill('return_group.created as backfill'));
  });

  it('has as many counted as are held, each once, although a walk reads some of them twice', async () => {
    const { minutes, state } = await aWidenedSource();

    await minutes(12);

    expect((await state()).holds).toMatchObject([{ kind: 'backfill', count: COUNT }]);
  });

  it('has them stored without events once an operator adopts them, and later changes are published', async () => {
    const { list, now, holds, minutes, published, known, end } = await aWidenedSource();

    await end('adopt');
    await minutes(3);
    const adopted = [await known(), await published(), await holds()];
    list.change(1_000, 'CANCELED', now());
    await minutes(2);

    expect(adopted).toEqual([COUNT, [], []]);
    expect(await published()).toEqual(['return_line_item.status_changed']);
  });

  it('has the hold ended once it shows none of them any more', async () => {
    const { list, holds, minutes, published } = await aWidenedSource();

    for (const id of OLD) list.groups.delete(id);
    await minutes(12);

    expect([await holds(), await published()]).toEqual([[], []]);
  });

  it('has new groups published all the while', async () => {
    const { list, now, minutes, eventsOf } = await aWidenedSource();

    list.add(9_000, now());
    await minutes(2);

    const [created] = await eventsOf(9_000);
    expect(created).toMatchObject({ type: 'return_group.created' });
    expect(created?.data).not.toHaveProperty('backfill');
  });
});
