import { describe, expect, it } from 'vitest';
import { admitAbsences, noteStillMissing } from '../../../shared/guarding/guard-entities.ts';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import { beginCycleOfHolds, endCycleOfHolds, standingHolds } from '../../../shared/guarding/holds.ts';
import { releaseHold } from '../../../shared/guarding/release-hold.ts';
import { HOUR } from '../../../shared/instant.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { aState } from '../../contract/sample-states.ts';
import { createSourceWorld, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';
import { NOW } from './guarded-pages.ts';
import { releaseNow } from './release-now.ts';
import { conditions } from './two-stores.ts';

const SETTINGS = { reconcileMs: 120_000 };

async function ticks(world: SourceWorld, session: SourceSession, count: number) {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}

async function known(options: SourceWorldOptions = {}) {
  const world = createSourceWorld({ groups: 60, settings: SETTINGS, ...options });
  const session = world.startProcess('a');
  await world.tick(session);
  return { world, session };
}

/** Some groups, without the group that was created for the stamps' clock. */
function some(world: SourceWorld, count: number): number[] {
  return world.control
    .snapshot()
    .map(({ id }) => Number(id))
    .filter((id) => id !== world.newest)
    .slice(0, count);
}

/** Removes the first line item of each group. */
function removeItems(world: SourceWorld, groups: readonly number[]) {
  for (const id of groups) world.control.mutate(id, (draft) => void draft.returns.splice(0, 1));
}

async function removals(world: SourceWorld): Promise<number> {
  return (await world.events()).filter(({ type }) => type === 'return_line_item.removed').length;
}

describe('entities that are gone', () => {
  it('are published as removed if they are few', async () => {
    const { world, session } = await known();
    removeItems(world, some(world, 20));

    await ticks(world, session, 6);

    expect(await removals(world)).toBe(20);
    expect(await conditions(world)).toEqual([]);
  });

  it('are held if they are many, while other changes of their groups are published', async () => {
    const { world, session } = await known();
    const groups = some(world, 30);
    removeItems(world, groups);
    await ticks(world, session, 6);
    const [group = 0] = groups;
    world.control.mutate(group, (draft) => {
      draft.return_outcome = 'credit';
      draft.credit_method = 'STORE_CREDIT';
    });
    await ticks(world, session, 3);

    expect(await removals(world)).toBe(0);
    expect((await world.groupEvents(group)).map(({ type }) => type)).toEqual(['return_group.updated']);
    expect(await conditions(world)).toEqual(['feed.source_degraded held']);
    const [hold] = standingHolds(await world.state());
    expect(hold).toMatchObject({ guard: 'entities_removed' });
    // A group at the seam of two ranges is read twice.
    expect(hold?.suspects).toBeGreaterThanOrEqual(30);
    expect(hold?.suspects).toBeLessThan(35);
    expect(hold?.samples).toHaveLength(10);
    expect(hold?.samples[0]).toMatchObject({
      what: expect.stringMatching(/^return_line_item\//),
      before: 'known',
    });
  });

  it('are published as removed after a release', async () => {
    const { world, session } = await known();
    removeItems(world, some(world, 30));
    await ticks(world, session, 6);

    await releaseNow(world, standingHolds(await world.state())[0]?.number ?? 0);
    await ticks(world, session, 3);
    const afterRelease = await removals(world);
    await ticks(world, session, 6);

    expect(afterRelease).toBe(30);
    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await conditions(world)).toEqual(['feed.source_degraded held', 'feed.source_recovered']);
  });

  // Before, one missing entity in each cycle kept the rest of a release for ever.
  it('stay released only until a cycle finds no more than may be gone without a release', () => {
    const source = aState('acme', 1, { guarding: NO_GUARDING });
    const of = { now: NOW, through: 'reconciliation', cycle: HOUR, samples: [] } as const;
    const held = admitAbsences(source, { ...of, missing: 30, removed: 0 }).state;
    const release = releaseHold(held, 1, NOW);
    if (release.outcome !== 'released') throw new Error(release.outcome);
    const cycleMissing = (entities: number) => {
      let state = beginCycleOfHolds(release.state, 'all', true);
      for (let each = 0; each < entities; each += 1) state = noteStillMissing(state, { ...of, missing: 1 });
      return endCycleOfHolds(admitAbsences(state, { ...of, missing: 0, removed: 1 }).state, 'all').guarding
        .holds;
    };

    expect(cycleMissing(21)).toMatchObject([{ suspects: 29, releasedAt: NOW }]);
    expect(cycleMissing(20)).toEqual([]);
  });

  it('are no longer held once they are back', async () => {
    const { world, session } = await known();
    const groups = new Set(some(world, 30));
    let areHidden = true;
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (!areHidden || answer.status !== 200) return answer;
      const rows = JSON.parse(answer.body) as { id: number; returns: unknown[] }[];
      const shown = rows.map((row) => (groups.has(row.id) ? { ...row, returns: [] } : row));
      return { ...answer, body: JSON.stringify(shown) };
    };
    await ticks(world, session, 6);
    const held = standingHolds(await world.state());

    areHidden = false;
    await ticks(world, session, 6);

    expect(held).toHaveLength(1);
    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await removals(world)).toBe(0);
  });
});
