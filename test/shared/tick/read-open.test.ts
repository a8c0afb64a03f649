// How old groups that are open are read, each by its id or with its neighbours, and what this costs.
import { describe, expect, it } from 'vitest';
import { DAY, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { requestsOfAll } from '../../../shared/source/reconciliation-plan.ts';
import {
  cancel,
  cycles,
  oldGroups,
  openEach,
  openFew,
  pauseSlowWalk,
  SLOW,
  setAll,
  slowWorld,
  worldWithFewOpen,
} from './slow-world.ts';

const LOOK_UP = 'return_group_id=';

describe('an old group that is open', () => {
  it('is looked up once a cycle, also if the service sends a false creation time', async () => {
    const open: number[] = [];
    const { world, session } = await slowWorld((store) => {
      open.push(...openFew(store));
      store.network.intercept = (request) => {
        const answer = store.reference.service.answer(request);
        if (answer.status !== 200) return answer;
        const rows = JSON.parse(answer.body) as { id: number; created_at: string }[];
        for (const row of rows) if (open.includes(row.id)) row.created_at = '0001-01-01T00:00:00Z';
        return { ...answer, body: JSON.stringify(rows) };
      };
    });
    await pauseSlowWalk(world);
    const before = world.requests().length;
    await cycles(world, session, 2);

    const lookedUp = new Set(
      world
        .requests()
        .slice(before)
        .map(({ query }) => query.split(LOOK_UP)[1]),
    );
    expect(open.filter((id) => lookedUp.has(String(id)))).toEqual(open);
  });

  it('is looked up by its id once a cycle if few old groups are open', async () => {
    const { world, session, open } = await worldWithFewOpen();
    await cycles(world, session, 1);
    const gone = open.pop() ?? 0;
    world.control.remove(gone);
    for (const id of open) cancel(world, id);

    await cycles(world, session, 1);

    const lookUps = (id: number) =>
      world.requests().filter(({ query }) => query.endsWith(`${LOOK_UP}${id}`)).length;
    const histories = await Promise.all(open.map((id) => world.groupEvents(id)));
    expect(open.length).toBeGreaterThan(5);
    expect(
      histories.every((events) => events.some(({ type }) => type === 'return_line_item.status_changed')),
    ).toBe(true);
    expect(open.every((id) => lookUps(id) > 0)).toBe(true);
    expect(lookUps(gone)).toBe(lookUps(open[0] ?? 0));
  });

  // Before, as many groups were to be looked up as there would have been time for with fast answers, and the tick
  // ended; or it ended before the group that is missing was looked up for the second time.
  it.each([
    [500, 0],
    [2_000, 1],
  ])(
    'is looked up in parts that fit ticks of new processes, if answers take %i ms and %i group is gone',
    async (latencyMs, removed) => {
      const open: number[] = [];
      const { world, session } = await slowWorld((store) => void open.push(...openEach(store, 8)), {
        ...{ groups: 1_600, knobs: SLOW.knobs },
        settings: { reconcileMs: 60_000 },
      });
      await cycles(world, session, 1);
      world.network.intercept = (request) => ({
        ...world.reference.service.answer(request),
        afterMs: latencyMs,
      });
      const oldestOpen = world.oldestFirst().filter((id) => open.includes(id));
      for (const id of oldestOpen.slice(12, 12 + removed)) world.control.remove(id);
      const begun = world.time.now() + 30 * MINUTE;
      const hasEnded = async () => ((await world.state()).reconciliation.open.lastCompletedAt ?? 0) > begun;

      for (let minute = 0; minute < 80 && !(await hasEnded()); minute += 1) {
        await world.nextTick(world.startProcess(`p${world.time.elapsed()}`));
      }

      expect(await hasEnded()).toBe(true);
    },
  );

  // A range with more pages than a tick has time for would never be proved.
  it('is looked for, if it is gone, in lists that end before a crowd of one moment', async () => {
    let gone = 0;
    let crowdAt = 0;
    const { world, session } = await slowWorld((store) => {
      gone = openFew(store)[2] ?? 0;
      const old = oldGroups(store);
      const crowd = old.slice(old.indexOf(gone) + 8, old.indexOf(gone) + 58);
      for (const id of crowd)
        store.control.mutate(id, (draft) => {
          crowdAt ||= draft.created_at;
          draft.created_at = crowdAt;
        });
    });
    await pauseSlowWalk(world);
    world.control.remove(gone);
    const before = world.requests().length;

    await cycles(world, session, 2);

    const ends = world
      .requests()
      .slice(before)
      .flatMap(({ query }) => {
        const bounds = new URLSearchParams(query);
        return bounds.has('min_created_at')
          ? (parseStamp(bounds.get('max_created_at') ?? '')?.instant ?? [])
          : [];
      });
    expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
    expect(ends.filter((end) => end < crowdAt).length).toBeGreaterThan(0);
    expect(ends.filter((end) => end > crowdAt && end < crowdAt + DAY)).toEqual([]);
  });

  it('is read with its neighbours if many of them are open', async () => {
    const { world, session } = await slowWorld((store) => {
      const old = oldGroups(store);
      setAll(store, old, false);
      setAll(store, old.slice(100, 160), true);
    });

    await cycles(world, session, 2);

    const { open } = (await world.state()).reconciliation;
    expect(open.compared).toBeGreaterThanOrEqual(60);
    expect(open.lastRequests).toBeLessThan(40);
  });
});

it('a store of groups that never close takes about as many requests as a walk over all of them', async () => {
  const { world, session } = await slowWorld((store) => setAll(store, oldGroups(store), true));

  await cycles(world, session, 2);

  const state = await world.state();
  expect(state.reconciliation.open.lastRequests).toBeLessThanOrEqual(requestsOfAll(state) + 60);
  expect(state.reconciliation.recent.lastCompletedAt).toBeDefined();
});
