// Look-ups that fail cost each walk little time, and those of other groups are made.
import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { MINUTE } from '../../../shared/instant.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import {
  forgetOldFailures,
  isConfirmationTried,
  isLookUpMade,
  isUnconfirmedForLong,
  noteAnswer,
  noteConfirmed,
  noteFailure,
  noteUnconfirmed,
} from '../../../shared/tick/failing-look-ups.ts';
import { noteSetAside } from '../../../shared/tick/set-aside.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const MINUTE_MS = 60_000;

async function ticksOfNewProcesses(world: SourceWorld, count: number) {
  const { next: random } = createSeededRandom(count);
  for (let made = 0; made < count; made += 1)
    await world.nextTick(world.startProcess(`p${world.time.elapsed()}`, { random }));
}

describe('a walk', () => {
  // Before, each tick read the range again, looked the same groups up again, and was cut off.
  it.each([
    [2, 20, 5],
    [3, 50, 8],
  ])(
    'ends although answers take %i s, pages have %i rows, and look-ups are refused after %i s',
    async (answerSeconds, limitMax, refusalSeconds) => {
      const world = createSourceWorld({
        ...{ groups: 300, latencyMs: answerSeconds * 1_000 },
        settings: { reconcileMs: 20 * MINUTE_MS },
        knobs: { limitMax, touches: [] },
      });
      await ticksOfNewProcesses(world, 60);
      for (const id of world.oldestFirst().slice(3, 7)) world.control.remove(id);
      world.network.intercept = ({ query }) =>
        query.has('return_group_id')
          ? { ...jsonAnswer(400, {}), afterMs: refusalSeconds * 1_000 }
          : undefined;
      const before = world.time.now();

      await ticksOfNewProcesses(world, 60);

      expect((await world.state()).reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
    },
  );

  // Before, the three were looked up first in each walk, and the others in none.
  it('looks up the groups of later ranges although three look-ups fail at once', async () => {
    const world = createSourceWorld({
      groups: 300,
      settings: { reconcileMs: 10 * MINUTE_MS, settleMs: 1_000 },
      knobs: { order: 'random', limitMax: 20, limitOver: 'clamp', touches: [] },
    });
    const session = world.startProcess('a', { random: createSeededRandom(7).next });
    const ticks = async (count: number) => {
      for (let made = 0; made < count; made += 1) await world.nextTick(session);
    };
    await ticks(30);
    const oldestFirst = world.oldestFirst();
    const broken = oldestFirst.slice(3, 6);
    const gone = [150, 210, 270].map((place) => oldestFirst[place] as number);
    for (const id of [...broken, ...gone]) world.control.remove(id);
    world.network.intercept = ({ query }) =>
      broken.includes(Number(query.get('return_group_id'))) ? jsonAnswer(400, {}) : undefined;

    await ticks(60);

    const types = await Promise.all(
      gone.map(async (id) => (await world.groupEvents(id)).map(({ type }) => type)),
    );
    expect(types).toEqual(gone.map(() => ['return_group.removed']));
  });

  // Before, each walk tried six of the seven again, and then no others.
  it('looks up a group of a later range although seven look-ups get no answer', async () => {
    const world = createSourceWorld({
      groups: 3_000,
      settings: { reconcileMs: 10 * MINUTE_MS },
      knobs: { limitMax: 20, touches: [] },
    });
    await ticksOfNewProcesses(world, 25);
    const oldestFirst = world.oldestFirst();
    const broken = oldestFirst.slice(3, 10);
    const gone = oldestFirst[2_700] as number;
    for (const id of [...broken, gone]) world.control.remove(id);
    world.hang((query) => broken.includes(Number(query.get('return_group_id'))));

    await ticksOfNewProcesses(world, 120);

    expect((await world.groupEvents(gone)).map(({ type }) => type)).toContain('return_group.removed');
  });

  // Before, the failure ended each tick.
  it('ends although the connection of one look-up is always reset', async () => {
    const world = createSourceWorld({
      groups: 300,
      settings: { reconcileMs: 10 * MINUTE_MS, settleMs: 1_000 },
      knobs: { limitMax: 20, touches: [] },
    });
    const session = world.startProcess('a', { random: createSeededRandom(7).next });
    for (let made = 0; made < 25; made += 1) await world.nextTick(session);
    const oldestFirst = world.oldestFirst();
    const [broken, gone] = [oldestFirst[3] as number, oldestFirst[250] as number];
    for (const id of [broken, gone]) world.control.remove(id);
    world.network.intercept = ({ query }) =>
      query.get('return_group_id') === String(broken)
        ? { status: 200, headers: {}, body: '', delivery: 'reset', afterMs: 0 }
        : undefined;

    for (let made = 0; made < 60; made += 1) await world.nextTick(session);

    expect((await world.groupEvents(gone)).map(({ type }) => type)).toEqual(['return_group.removed']);
    expect((await world.state()).setAside).toMatchObject([{ groupId: broken }]);
  });

  it('ends although two look-ups get no answer, and there is no room for notes', async () => {
    const world = createSourceWorld({
      groups: 900,
      settings: { reconcileMs: 20 * MINUTE_MS },
      knobs: { touches: [] },
    });
    await ticksOfNewProcesses(world, 45);
    const oldestFirst = world.oldestFirst();
    const unreadable = new Set(oldestFirst.slice(100, 610));
    const broken = oldestFirst.slice(20, 22);
    for (const id of broken) world.control.remove(id);
    world.network.intercept = (request) => {
      if (broken.includes(Number(request.query.get('return_group_id'))))
        return { status: 200, headers: {}, body: '', delivery: 'hang', afterMs: 0 };
      const answer = world.reference.service.answer(request);
      const rows = JSON.parse(answer.body) as { id: number; returns: unknown }[];
      for (const row of rows) if (unreadable.has(row.id)) row.returns = 5;
      return { ...answer, body: JSON.stringify(rows) };
    };
    await ticksOfNewProcesses(world, 45);
    const before = world.time.now();

    await ticksOfNewProcesses(world, 60);

    const { setAside, reconciliation } = await world.state();
    expect(setAside).toHaveLength(500);
    expect(reconciliation.all.lastCompletedAt).toBeGreaterThan(before);
  });
});

describe('a look-up', () => {
  const NOW = 1_000_000_000_000_000;
  const NOTHING: SourceState = {
    setAside: [],
    failingLookUps: { groups: [], cutOff: [], inRow: 0 },
  } as never;
  const failed = (state: SourceState, groupId: number, at = NOW) =>
    noteFailure(noteSetAside(state, { id: groupId, reason: 'it fails', digest: '' }, at), groupId, at);
  const failedAll = (...groupIds: number[]) => groupIds.reduce((state, id) => failed(state, id), NOTHING);
  const isMade = (state: SourceState, groupId: number, minutes: number, walkBegunMinutes = minutes) =>
    isLookUpMade(state, groupId, NOW + walkBegunMinutes * MINUTE, NOW + minutes * MINUTE);

  it('that failed is made again by the next walk, not by the same one', () => {
    expect(isMade(failedAll(1), 1, 30, 0)).toBe(false);
    expect(isMade(failedAll(1), 1, 1)).toBe(true);
  });

  it('is made less often the more look-ups fail', () => {
    const oneByOne = [1, 2, 3, 4].reduce((state, id) => failed(state, id, NOW + 10 * id * MINUTE), NOTHING);
    expect([1, 2, 3, 4].map((id) => isMade(oneByOne, id, 49))).toEqual([true, true, false, false]);
    expect(isMade(failed(oneByOne, 1, NOW + 50 * MINUTE), 2, 51)).toBe(true);
    expect(isMade(failed(oneByOne, 1, NOW + 50 * MINUTE), 3, 49)).toBe(false);
  });

  it('is made every ten minutes if many fail at once, beginning with those that were not tried for longest', () => {
    const atOnce = failedAll(1, 2, 3, 4, 5, 6);
    expect(isMade(atOnce, 1, 9)).toBe(false);
    expect(isMade(atOnce, 1, 10)).toBe(true);
    const again = failed(atOnce, 1, NOW + 10 * MINUTE);
    expect([1, 2].map((id) => isMade(again, id, 19))).toEqual([false, false]);
    expect([1, 2].map((id) => isMade(again, id, 20))).toEqual([false, true]);
  });

  it('of another group is made every ten minutes after three first failures in a row, and again after an answer', () => {
    expect(isMade(failedAll(1, 2), 9, 0)).toBe(true);
    expect(isMade(failedAll(1, 2, 3), 9, 9)).toBe(false);
    expect(isMade(failedAll(1, 2, 3), 9, 10)).toBe(true);
    expect(isMade(noteAnswer(failedAll(1, 2, 3), 8), 9, 0)).toBe(true);
  });

  it('of another group does not wait for a group that fails again', () => {
    const again = failed(failedAll(1, 2, 3), 1, NOW + 10 * MINUTE);
    expect(isMade(again, 9, 10)).toBe(true);
  });

  it('of a failing group is made at once after another failing group was answered', () => {
    expect(isMade(noteAnswer(failedAll(1, 2, 3), 1), 2, 0, 1)).toBe(true);
    expect(isMade(noteAnswer(failedAll(1, 2, 3), 8), 2, 0, 1)).toBe(false);
  });

  it('does not wait for a time of a clock that was ahead', () => {
    const ahead = [1, 2, 3].reduce((state, id) => failed(state, id, NOW + 60 * 24 * MINUTE), NOTHING);
    expect(isMade(ahead, 1, 0)).toBe(true);
    expect(isMade(ahead, 9, 0)).toBe(true);
    expect(isConfirmationTried(noteUnconfirmed(NOTHING, NOW + MINUTE), NOW)).toBe(true);
  });

  it('of a group that was read since counts as new', () => {
    const readSince = { ...failedAll(1, 2, 3), setAside: [] };
    expect(isMade(readSince, 1, 0)).toBe(true);
    expect(forgetOldFailures(readSince).failingLookUps.groups).toEqual([]);
  });

  it('that has to confirm a removal is made for five minutes, then every ten minutes while it fails', () => {
    const at = (state: SourceState, minutes: number) => noteUnconfirmed(state, NOW + minutes * MINUTE);
    const short = at(at(NOTHING, 0), 4);
    expect(isUnconfirmedForLong(short, NOW + 4 * MINUTE)).toBe(false);
    expect(isConfirmationTried(short, NOW + 4 * MINUTE)).toBe(true);
    const long = at(short, 5);
    expect(isUnconfirmedForLong(long, NOW + 5 * MINUTE)).toBe(true);
    expect(isConfirmationTried(long, NOW + 14 * MINUTE)).toBe(false);
    expect(isConfirmationTried(long, NOW + 15 * MINUTE)).toBe(true);
    expect(isConfirmationTried(noteConfirmed(long), NOW + 5 * MINUTE)).toBe(true);
  });

  it('is remembered as failing although there is no room for its note', () => {
    const full = Array.from({ length: 500 }, (_, place) => ({ digest: String(place) }));
    const state = noteFailure({ ...NOTHING, setAside: full } as never, 1, NOW);
    expect(isMade(state, 1, 1, 0)).toBe(false);
  });
});
