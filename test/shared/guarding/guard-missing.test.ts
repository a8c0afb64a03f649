import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import {
  admitMissing,
  areRemovalsHeld,
  isKnownRangeEmpty,
  useRemovalPermit,
} from '../../../shared/guarding/guard-missing.ts';
import type { Hold } from '../../../shared/guarding/guarding-state.ts';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { beginCycleOfHolds, endCycleOfHolds, standingHolds } from '../../../shared/guarding/holds.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { fitsCycle } from '../../../shared/source/reconciliation-plan.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { aState } from '../../contract/sample-states.ts';
import { createSourceWorld, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';
import { releaseNow } from './release-now.ts';
import { conditions } from './two-stores.ts';

const SETTINGS = { reconcileMs: 120_000 };

/** A source with a complete baseline. */
async function known(options: SourceWorldOptions) {
  const world = createSourceWorld({ settings: SETTINGS, ...options });
  const session = world.startProcess('a');
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
  return { world, session };
}

async function ticks(world: SourceWorld, session: SourceSession, count: number) {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}

async function removed(world: SourceWorld): Promise<number[]> {
  const events = await world.events();
  return events.flatMap(({ type, data }) =>
    type === 'return_group.removed' && 'return_group' in data ? [data.return_group.id] : [],
  );
}

async function held(world: SourceWorld): Promise<Partial<Hold>[]> {
  return standingHolds(await world.state()).map(({ number, guard, suspects }) => ({
    number,
    guard,
    suspects,
  }));
}

function oldest(world: SourceWorld, count: number): number[] {
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  return ids.filter((id) => id !== world.newest).slice(0, count);
}

/** Makes lists by creation empty, and look-ups too unless `lookUps` is set. */
function hideAll(world: SourceWorld, options: { readonly lookUps: boolean }) {
  world.network.intercept = ({ query }) => {
    const isList = query.has('max_created_at') || query.has('min_created_at');
    if (isList) return jsonAnswer(200, []);
    return !options.lookUps && query.has('return_group_id') ? jsonAnswer(200, []) : undefined;
  };
}

describe('an empty range with known groups', () => {
  it('is held, even with few groups, until it shows them again', async () => {
    const { world, session } = await known({ groups: 12 });
    hideAll(world, { lookUps: true });
    await ticks(world, session, 8);
    const whileEmpty = await held(world);

    world.network.intercept = undefined;
    await ticks(world, session, 4);

    expect(whileEmpty).toMatchObject([{ guard: 'known_range_empty' }]);
    expect(await removed(world)).toEqual([]);
    expect(await held(world)).toEqual([]);
    expect(await conditions(world)).toEqual(['feed.source_degraded held', 'feed.source_recovered']);
  });

  it('does not stop polls', async () => {
    const { world, session } = await known({ groups: 12 });
    hideAll(world, { lookUps: true });
    await ticks(world, session, 3);
    world.setShipment(world.someGroup(), 'FAILED');

    await ticks(world, session, 1);

    expect(await held(world)).toHaveLength(1);
    expect(await world.groupEvents(world.someGroup())).toHaveLength(1);
  });

  it('holds the whole source if look-ups find no known group either', async () => {
    const { world, session } = await known({ groups: 12 });
    hideAll(world, { lookUps: false });
    await ticks(world, session, 3);
    const whileEmpty = await held(world);
    world.setShipment(world.someGroup(), 'FAILED');
    await ticks(world, session, 2);
    const events = await world.groupEvents(world.someGroup());

    world.network.intercept = undefined;
    await ticks(world, session, 4);

    expect(whileEmpty).toMatchObject([{ guard: 'known_group_not_found' }]);
    expect(events).toEqual([]);
    expect(await held(world)).toEqual([]);
    expect(await world.groupEvents(world.someGroup())).toHaveLength(1);
  });

  it('is not held if fewer than five of its groups are known', () => {
    const state = aState('acme', 1, { guarding: NO_GUARDING });
    const gone = (count: number) => {
      const isHidden = isKnownRangeEmpty({ known: count, missing: count });
      return { tier: 'all', from: 5, missing: count, isHidden } as const;
    };

    const [few, many] = [admitMissing(state, gone(4), 9), admitMissing(state, gone(5), 9)];

    expect(few).toEqual({ isAdmitted: true, state });
    expect(many.isAdmitted).toBe(false);
    expect(standingHolds(many.state)).toMatchObject([{ guard: 'known_range_empty', suspects: 5, from: 5 }]);
  });
});

/** A source whose last walk over all groups knew so many. */
function knowing(groups: number) {
  const { reconciliation, baseline } = aState('acme');
  const all = { ...reconciliation.all, lastKnown: groups, removals: 0 };
  return aState('acme', 1, {
    guarding: NO_GUARDING,
    baseline: { ...baseline, groups: 3_000 },
    reconciliation: { ...reconciliation, all },
  });
}

describe('too many groups that are gone', () => {
  const gone = { tier: 'all', from: undefined, missing: 30, isHidden: false } as const;

  it.each([
    [200, false],
    [2_999, false],
    [3_000, true],
    [40_000, true],
  ])(
    'are more than 20, or 1 %% of the %i groups of the last walk, not of the baseline',
    (groups, isAdmitted) => {
      expect(admitMissing(knowing(groups), gone, 9).isAdmitted).toBe(isAdmitted);
    },
  );

  it('are counted by the groups that the last walk knew', async () => {
    const { world, session } = await known({ groups: 30 });
    for (let made = 0; made < 10; made += 1) world.control.create();
    await ticks(world, session, 6);

    const { baseline, reconciliation } = await world.state();

    expect(baseline.groups).toBeLessThan(35);
    expect(reconciliation.all.lastKnown).toBe(world.store.all(await world.source()).length);
  });

  // Where a walk over all groups no longer fits a cycle, further walks begin, which published what it held.
  it('are held as well if another walk finds them', () => {
    const held = admitMissing(knowing(200), gone, 9).state;

    const others = (['recent', 'open'] as const).map((tier) =>
      admitMissing(held, { ...gone, tier, missing: 3 }, 10),
    );

    expect(others).toEqual([0, 1].map(() => ({ isAdmitted: false, state: held })));
    expect(areRemovalsHeld(held)).toBe(true);
  });

  // Before, a released hold was dropped meanwhile, and its groups were held again.
  it('stay released while another walk holds removals', () => {
    const held = admitMissing(knowing(200), gone, 9).state;
    const release = releaseHold(held, 1, 10);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    const other = admitMissing(release.state, { ...gone, tier: 'open' }, 11).state;

    const again = admitMissing(beginCycleOfHolds(other, 'all', false), gone, 12);

    expect(again.isAdmitted).toBe(false);
    expect(endCycleOfHolds(again.state, 'all').guarding.holds).toMatchObject([
      { tier: 'all', suspects: 30, releasedAt: 10 },
      { tier: 'open', releasedAt: undefined },
    ]);
  });

  // Before, one missing group in each cycle kept the rest of a release for ever.
  it('stay released only until a cycle finds no more than may be gone without a release', () => {
    const held = admitMissing(knowing(200), gone, 9).state;
    const release = releaseHold(held, 1, 10);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    const cycleMissing = (...ranges: readonly number[]) => {
      const begun = beginCycleOfHolds(release.state, 'all', false);
      const found = ranges.reduce((state, missing) => {
        return useRemovalPermit(admitMissing(state, { ...gone, missing }, 11).state, 'all');
      }, begun);
      return endCycleOfHolds(found, 'all').guarding.holds;
    };

    expect(cycleMissing(10, 11)).toMatchObject([{ suspects: 28, releasedAt: 10 }]);
    expect(cycleMissing(10, 10)).toEqual([]);
  });

  it.each([
    ['five', 5, 1],
    ['fewer', 4, 0],
  ])('of an empty range stay released while a cycle finds %s of them missing', (_name, missing, permits) => {
    const hidden = { ...gone, missing: 8, isHidden: true };
    const release = releaseHold(admitMissing(knowing(200), hidden, 9).state, 1, 10);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    const begun = beginCycleOfHolds(release.state, 'all', false);

    const found = admitMissing(begun, { ...gone, missing }, 11);

    expect(found.isAdmitted).toBe(true);
    expect(endCycleOfHolds(found.state, 'all').guarding.holds).toHaveLength(permits);
  });

  it('are published as removed after a release, and later ones are held again', async () => {
    const { world, session } = await known({ groups: 120 });
    const [first, second] = [oldest(world, 25), oldest(world, 60).slice(25)];
    for (const id of first) world.control.remove(id);
    await ticks(world, session, 5);
    const before = { held: await held(world), removed: await removed(world) };
    const samples = standingHolds(await world.state())[0]?.samples ?? [];

    const outcomes = [await releaseNow(world, 1), await releaseNow(world, 1)];
    await ticks(world, session, 6);
    const afterRelease = await removed(world);
    for (const id of second) world.control.remove(id);
    await ticks(world, session, 6);
    const late = await releaseNow(world, 1);
    await ticks(world, session, 6);

    expect(before).toEqual({ held: [{ number: 1, guard: 'groups_removed', suspects: 25 }], removed: [] });
    expect(samples).toHaveLength(10);
    expect(first).toEqual(expect.arrayContaining(samples.map(({ groupId }) => groupId)));
    expect(outcomes).toEqual(['released', 'released_before']);
    expect(afterRelease.sort()).toEqual(first.sort());
    expect(late).toBe('over');
    expect(await removed(world)).toHaveLength(25);
    expect(await held(world)).toEqual([{ number: 2, guard: 'groups_removed', suspects: 35 }]);
  });

  it('get a new hold number once they are more than twice as many', async () => {
    const { world, session } = await known({ groups: 120 });
    for (const id of oldest(world, 25)) world.control.remove(id);
    await ticks(world, session, 4);
    const before = await held(world);
    for (const id of oldest(world, 50)) world.control.remove(id);
    await ticks(world, session, 4);

    const old = await releaseNow(world, 1);

    expect(before).toMatchObject([{ number: 1, suspects: 25 }]);
    expect(await held(world)).toMatchObject([{ number: 2, suspects: 75 }]);
    expect(old).toBe('over');
  });

  it('are published as removed by the walk during which they are released, if that is a long walk', async () => {
    const { world, session } = await known({
      groups: 900,
      knobs: { limitMax: 5 },
      settings: { reconcileMs: 120_000, requestsPerMinute: 40 },
    });
    const gone = oldest(world, 300).filter((_, index) => index >= 200 && index % 3 === 0);
    for (const id of gone) world.control.remove(id);
    expect(fitsCycle(await world.state(), world.settings)).toBe(false);
    let minutes = 0;
    while ((await held(world)).length === 0 && minutes < 120) {
      await world.nextTick(session);
      minutes += 1;
    }
    const suspects = (await held(world))[0]?.suspects ?? Number.NaN;
    const { startedAt } = (await world.state()).reconciliation.all;
    await releaseNow(world, 1);
    minutes = 0;
    while ((await removed(world)).length < suspects && minutes < 30) {
      await world.nextTick(session);
      minutes += 1;
    }

    expect(suspects).toBeGreaterThan(10);
    expect(minutes).toBeLessThan(30);
    expect((await world.state()).reconciliation.all.startedAt).toBe(startedAt);
  });
});
