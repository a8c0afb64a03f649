// Old open groups that lie close together: pages of their range show most of them, look-ups the rest.
import { describe, expect, it } from 'vitest';
import { type Answer, jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import type { SourceWorld } from '../source-world.ts';
import { crowded } from './crowded-world.ts';
import {
  answerAfter,
  areRemoved,
  cancel,
  NO_ANSWER,
  oldGroups,
  SLOW,
  ticksUntil,
  ticksWithoutSlowWalk,
  typesOf,
} from './slow-world.ts';

const BUSY = {
  groups: 2_400,
  knobs: { limitMax: 20, touches: [] },
  settings: { reconcileMs: 60_000, requestsPerMinute: 300 },
};

/** Lists show no row beyond the sixtieth. */
function showSixty({ reference: { store } }: SourceWorld): void {
  const { select } = store;
  store.select = (query, from) =>
    query.offset >= 60 ? [] : select({ ...query, limit: Math.min(query.limit, 60 - query.offset) }, from);
}

describe('in a crowd of old open groups', () => {
  // Before, a list that ends at the last one's stamp, cut to seconds, did not show it, and nothing looked it up.
  it.each(['us', 'ms', 's'] as const)(
    'the last one is read, and removed (stamps in %s)',
    async (stampPrecision) => {
      const knobs = { ...SLOW.knobs, stampPrecision };
      const { world, session, crowd } = await crowded(60, { ...SLOW, knobs });
      await ticksWithoutSlowWalk(world, session, 10);
      const [before = 0, last = 0] = crowd.slice(-2);
      cancel(world, before);
      world.control.remove(last);

      await ticksUntil(() => areRemoved(world, [last]), { world, session, most: 60 });

      expect(await typesOf(world, [last])).toEqual(['return_group.removed']);
      expect(await typesOf(world, [before])).not.toContain('');
    },
  );

  // Before, the rows that such a list shows counted as the whole range.
  it('all are read, and one is removed, if lists show only their first rows', async () => {
    const { world, session, crowd } = await crowded(140, BUSY, { change: showSixty });
    await ticksWithoutSlowWalk(world, session, 20);
    const changed = crowd.filter((_, index) => index % 10 === 5);
    for (const id of changed) cancel(world, id);
    const gone = crowd.slice(60, 61);
    for (const id of gone) world.control.remove(id);

    await ticksUntil(() => areRemoved(world, gone), { world, session, most: 60 });

    expect((await world.state()).guarding.holds).toEqual([]);
    expect(await typesOf(world, changed)).not.toContain('');
    expect(await typesOf(world, gone)).toEqual(['return_group.removed']);
  });

  it('one that narrow lists show is not removed although its look-up finds nothing', async () => {
    const { world, session, crowd } = await crowded(75, BUSY, { change: showSixty });
    await ticksWithoutSlowWalk(world, session, 5);
    const id = crowd[3] ?? 0;
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === String(id) ? jsonAnswer(200, []) : undefined;

    await ticksWithoutSlowWalk(world, session, 20);

    expect(await typesOf(world, [id])).toEqual(['']);
  });

  // Before, each tick read the same pages.
  it.each([4_000, 8_000])('all are read by new processes if answers take %i ms', async (ms) => {
    const knobs = { ...SLOW.knobs, limitMax: 5 };
    const { world, session, crowd, later } = await crowded(120, { ...SLOW, knobs }, { hasLater: true });
    await ticksWithoutSlowWalk(world, session, 5);
    answerAfter(world, ms);
    const changed = [...crowd.filter((_, index) => index % 50 === 1), ...later];
    for (const id of changed) cancel(world, id);

    await ticksUntil(() => areRemoved(world, changed), { world, session: 'new', most: 130 });

    expect(await typesOf(world, changed)).not.toContain('');
  });

  it.each<[string, number, Answer]>([
    ['with 422', 0, jsonAnswer(422, { detail: [] })],
    ['with 500', 0, jsonAnswer(500, {})],
    ['with 500 from the second page on', 8, jsonAnswer(500, {})],
    ['without an answer', 0, NO_ANSWER],
  ])('all are looked up if lists of more than a minute fail %s', async (_, from, answer) => {
    const { world, session, crowd, later } = await crowded(60, SLOW, { hasLater: true });
    await ticksWithoutSlowWalk(world, session, 5);
    const first = Date.parse(String(world.control.snapshot().find(({ id }) => id === crowd[0])?.created_at));
    world.network.intercept = ({ query }) => {
      const bound = (name: string) => Date.parse(query.get(name) ?? '');
      const isOfCrowd = Math.abs(bound('min_created_at') - first) < 20 * 86_400_000;
      const isWide = bound('max_created_at') - bound('min_created_at') > 60_000;
      return isOfCrowd && isWide && Number(query.get('offset') ?? 0) >= from ? answer : undefined;
    };
    const changed = [...crowd.filter((_group, index) => index % 30 === 1), ...later];
    for (const id of changed) cancel(world, id);

    await ticksUntil(() => areRemoved(world, changed), { world, session, most: 90 });

    expect(await typesOf(world, changed)).not.toContain('');
  });
});

// Before, the walk went on behind all that was held.
it('open groups behind one that was removed are read although lists hide old groups', async () => {
  const { world, session, crowd } = await crowded(24);
  await ticksWithoutSlowWalk(world, session, 5);
  const old = new Set(oldGroups(world));
  world.network.intercept = (request) => {
    if (request.query.has('return_group_id')) return undefined;
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body) as { id: number }[];
    return { ...answer, body: JSON.stringify(rows.filter(({ id }) => !old.has(id))) };
  };
  const [gone = 0, ...others] = crowd.slice(4);
  world.control.remove(gone);
  await ticksWithoutSlowWalk(world, session, 10);
  for (const id of others) cancel(world, id);

  await ticksUntil(() => areRemoved(world, others), { world, session, most: 60 });

  expect(await typesOf(world, others)).not.toContain('');
});
