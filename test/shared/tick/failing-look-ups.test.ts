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
      groups: 1_500,
      settings: { reconcileMs: 10 * MINUTE_MS },
      knobs: { limitMax: 20, touches: [] },
    });
    await ticksOfNewProcesses(world, 25);
    const oldestFirst = world.oldestFirst();
    const broken = oldestFirst.slice(3, 10);
    const gone = oldestFirst[1_350] as number;
    for (const id of [...broken, gone]) world.control.remove(id);
    world.hang((query) => broken.includes(Number(query.get('return_group_id'))));

    const types = async () => (await world.groupEvents(gone)).map(({ type }) => type);
    for (let made = 0; made < 120 && (await types()).length === 0; made += 5)
      await ticksOfNewProcesses(world, 5);

    expect(await types()).toContain('return_group.removed');
  });

  // In a large store the next walk may come days later.
  it('looks up the groups of later ranges although look-ups failed for a minute', async () => {
    const world = createSourceWorld({
      groups: 1_300,
      knobs: { limitMax: 5, touches: [] },
      settings: { reconcileMs: 300_000, requestsPerMinute: 60, settleMs: 1_000 },
    });
    const groups = world.oldestFirst();
    const first = groups.slice(500, 503);
    const gone = [560, 600, 640].map((place) => groups[place] as number);
    for (const id of [...first, ...gone])
      world.control.mutate(id, (draft) => {
        for (const item of draft.returns) item.status = 'COMPLETED';
        for (const shipment of draft.shipments) shipment.status = 'DELIVERED';
        for (const exchange of draft.exchange_line_items) exchange.status = 'PROCESSED';
      });
    const session = world.startProcess('a', { random: createSeededRandom(5).next });
    await world.tick(session);
    while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
    for (const id of [...first, ...gone]) world.control.remove(id);
    const walk = async () => {
      const { lastCompletedAt } = (await world.state()).reconciliation.all;
      while ((await world.state()).reconciliation.all.lastCompletedAt === lastCompletedAt)
        await world.nextTick(session);
    };
    await walk();
    let failsFrom: number | undefined;
    world.network.intercept = ({ query }) => {
      if (!query.has('return_group_id')) return undefined;
      if (first.includes(Number(query.get('return_group_id')))) failsFrom ??= world.time.now();
      const fails = failsFrom !== undefined && world.time.now() - failsFrom < MINUTE;
      return fails ? jsonAnswer(500, {}) : undefined;
    };

    await walk();

    const events = await Promise.all(gone.map((id) => world.groupEvents(id)));
    expect(events.map((each) => each.map(({ type }) => type))).toEqual(
      gone.map(() => ['return_group.removed']),
    );
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

  it('is made every ten minutes if many fail at once, beginning with those tried longest ago', () => {
    const atOnce = failedAll(1, 2, 3, 4, 5, 6);
    expect(isMade(atOnce, 1, 9)).toBe(false);
    expect(isMade(atOnce, 1, 10)).toBe(true);
    const again = failed(atOnce, 1, NOW + 10 * MINUTE);
    expect([1, 2].map((id) => isMade(again, id, 19))).toEqual([false, false]);
    expect([1, 2].map((id) => isMade(again, id, 20))).toEqual([false, true]);
  });

  it('of another group waits for a minute after three first failures in a row, then for longer, until an answer', () => {
    expect(isMade(failedAll(1, 2), 9, 0)).toBe(true);
    expect([0, 1].map((minute) => isMade(failedAll(1, 2, 3), 9, minute))).toEqual([false, true]);
    expect([3, 4].map((minute) => isMade(failedAll(1, 2, 3, 4, 5), 9, minute))).toEqual([false, true]);
    expect([9, 10].map((minute) => isMade(failedAll(1, 2, 3, 4, 5, 6, 7, 8), 9, minute))).toEqual([
      false,
      true,
    ]);
    expect(isMade(noteAnswer(failedAll(1, 2, 3), 8), 9, 0)).toBe(true);
  });

  it('of another group does not wait for a group that fails again', () => {
    const again = failed(failedAll(1, 2, 3), 1, NOW + 10 * MINUTE);
    expect(isMade(again, 9, 10)).toBe(true);
  });

  // Before, the 101st was forgotten as it came, and counted as a first failure in each walk.
  it('of another group does not wait for 150 groups that fail again', () => {
    let state = NOTHING;
    for (let walk = 0; walk < 200; walk += 1) {
      const begunAt = NOW + walk * 10 * MINUTE;
      for (let id = 1; id <= 150; id += 1) {
        const now = begunAt + id;
        if (isLookUpMade(state, id, begunAt, now)) state = failed(state, id, now);
      }
    }
    expect(isLookUpMade(state, 999, NOW + 2_000 * MINUTE, NOW + 2_000 * MINUTE)).toBe(true);
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
    const triedAt = (...minutes: number[]) =>
      minutes.reduce((state, minute) => noteUnconfirmed(state, NOW + minute * MINUTE), NOTHING);
    expect(isUnconfirmedForLong(triedAt(0, 4))).toBe(false);
    expect(isUnconfirmedForLong(triedAt(0, 5))).toBe(true);
    expect([14, 15].map((minute) => isConfirmationTried(triedAt(0, 5), NOW + minute * MINUTE))).toEqual([
      false,
      true,
    ]);
    expect(isConfirmationTried(noteConfirmed(triedAt(0, 5)), NOW + 6 * MINUTE)).toBe(true);
    // One failure is not enough, however long ago it was, and one of another day does not count.
    expect(isConfirmationTried(triedAt(0), NOW + 7 * MINUTE)).toBe(true);
    expect(isUnconfirmedForLong(triedAt(0, 5, 24 * 60))).toBe(false);
  });

  it('is remembered as failing although there is no room for its note', () => {
    const full = Array.from({ length: 500 }, (_, place) => ({ digest: String(place) }));
    const state = noteFailure({ ...NOTHING, setAside: full } as never, 1, NOW);
    expect(isMade(state, 1, 1, 0)).toBe(false);
  });
});
