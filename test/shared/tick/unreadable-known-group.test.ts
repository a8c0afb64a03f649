import { describe, expect, it } from 'vitest';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

type Row = Record<string, unknown> & { id: number };

const UNREADABLE: readonly (readonly [string, (row: Row) => unknown])[] = [
  ['an empty object', () => ({})],
  ['null', () => null],
  ['a row whose id is null', (row) => ({ ...row, id: null })],
  ['a row whose id is a text', (row) => ({ ...row, id: String(row.id) })],
  ['a row whose id is beyond 2^53', (row) => ({ ...row, id: 2 ** 53 + 2 })],
  ['a row with its id and nothing else', ({ id }) => ({ id })],
];

/** Makes one group unreadable, in lists and look-ups, until `repair` is called. */
function corrupt(world: SourceWorld, groupId: number, corrupted: (row: Row) => unknown): { repair(): void } {
  let isCorrupt = true;
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (!isCorrupt || answer.status !== 200) return answer;
    const rows = (JSON.parse(answer.body) as Row[]).map((row) => (row.id === groupId ? corrupted(row) : row));
    return { ...answer, body: JSON.stringify(rows) };
  };
  return {
    repair() {
      isCorrupt = false;
    },
  };
}

async function startWorld() {
  const world = createSourceWorld({ groups: 8, settings: { reconcileMs: 120_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  const groupId = Number(world.control.snapshot().find(({ id }) => id !== world.newest)?.id);
  const ticks = async (count: number) => {
    for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
  };
  const removed = async () =>
    (await world.events()).map(({ type }) => type).filter((type) => type === 'return_group.removed');
  return { world, groupId, ticks, removed };
}

describe.each(UNREADABLE)('a known group that the service sends as %s', (_, corrupted) => {
  it('is set aside, degrades the source and never counts as removed', async () => {
    const { world, groupId, ticks, removed } = await startWorld();
    corrupt(world, groupId, corrupted);

    await ticks(12);

    const { setAside, health } = await world.state();
    const known = await world.store.load(await world.source(), [groupId]);
    expect(await removed()).toEqual([]);
    expect(known.get(groupId)?.absences).toEqual({});
    expect(setAside.map((row) => row.groupId)).toContain(groupId);
    expect(health.reasons.map(({ code }) => code)).toEqual(['unreadable']);
  });

  it('is no longer set aside once it is readable again', async () => {
    const { world, groupId, ticks, removed } = await startWorld();
    const corruption = corrupt(world, groupId, corrupted);
    await ticks(6);

    corruption.repair();
    await ticks(8);

    const { setAside, health } = await world.state();
    expect(await removed()).toEqual([]);
    expect(setAside).toEqual([]);
    expect(health.degradedSince).toBeUndefined();
  });
});

it('clears the absence of a group that is shown unreadable after one empty look-up', async () => {
  const { world, groupId, ticks } = await startWorld();
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows = (JSON.parse(answer.body) as Row[]).filter(({ id }) => id !== groupId);
    return { ...answer, body: JSON.stringify(rows) };
  };
  await ticks(3);
  const known = async () => (await world.store.load(await world.source(), [groupId])).get(groupId);
  const whileHidden = await known();

  corrupt(world, groupId, () => ({}));
  await ticks(3);

  expect(Object.keys(whileHidden?.absences ?? {})).toHaveLength(1);
  const shown = await known();
  expect(shown?.absences).toEqual({});
  expect(shown?.removedAt).toBeUndefined();
});

it('removes a group if its look-up returns only another group', async () => {
  const { world, groupId, ticks, removed } = await startWorld();
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows = (JSON.parse(answer.body) as Row[]).filter(({ id }) => id !== groupId);
    const isLookUp = request.query.get('return_group_id') === String(groupId);
    return { ...answer, body: JSON.stringify(isLookUp ? [{ id: groupId + 5_000_000 }] : rows) };
  };

  await ticks(12);

  expect(await removed()).toHaveLength(1);
});
