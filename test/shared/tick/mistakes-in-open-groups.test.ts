// A service that shows other values of all old open groups, with the same stamps, while only look-ups read these. One
// turn of their walk reads all of them.
import { describe, expect, it } from 'vitest';
import type { SourceWorld } from '../source-world.ts';
import { everyTenthOpen } from './crowded-world.ts';
import { openWalks, typesOf } from './slow-world.ts';

function showOtherOutcomes({ network, reference }: SourceWorld, groups: readonly number[]): void {
  const shown = new Set<unknown>(groups);
  network.intercept = (request) => {
    const answer = reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body) as { id: unknown; return_outcome: string }[];
    const other = (outcome: string) => (outcome === 'credit' ? 'refund' : 'credit');
    const shows = rows.map((row) =>
      shown.has(row.id) ? { ...row, return_outcome: other(row.return_outcome) } : row,
    );
    return { ...answer, body: JSON.stringify(shows) };
  };
}

async function withEvents(world: SourceWorld, groups: readonly number[]): Promise<number[]> {
  const types = await typesOf(world, groups);
  return groups.filter((_, place) => types[place] !== '');
}

describe('other values of all old open groups are held', () => {
  // Before, what was read before each pair was judged alone: the first twenty were published.
  it.each(['in pairs', 'one by one'] as const)('if the groups come %s', async (come) => {
    const { world, session, open } = await everyTenthOpen(100, come);
    await openWalks(world, session, 3);

    showOtherOutcomes(world, open);
    await openWalks(world, session, 3);

    expect(await withEvents(world, open)).toEqual([]);
    expect((await world.state()).guarding.holds).toMatchObject([
      { guard: 'changed_without_stamps', suspects: 100 },
    ]);
  });

  // Before, the share of the part that was judged alone became usual, and the mistake was published whole.
  it.each([
    ['their pairs', 'in pairs', false],
    ['one that was removed', 'one by one', true],
  ] as const)('although many of those before %s have changed', async (_, come, isRemoved) => {
    const { world, session, open } = await everyTenthOpen(100, come);
    await openWalks(world, session, 3);
    const changed = open.slice(0, 24).filter((_id, index) => index % 5 === 1 || index % 5 === 3);
    for (const id of changed) world.change(id, undefined);
    const [next] = open.slice(24);
    if (isRemoved && next !== undefined) world.control.remove(next);
    await openWalks(world, session, 3);
    const before = await withEvents(world, open);
    expect(before).toEqual(expect.arrayContaining(changed));

    showOtherOutcomes(world, open);
    await openWalks(world, session, 3);

    expect(await withEvents(world, open)).toEqual(before);
    expect((await world.state()).guarding.holds).toMatchObject([{ guard: 'changed_without_stamps' }]);
  });
});
