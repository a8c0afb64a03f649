import { expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { createRangeRoom } from '../../../shared/tick/range-room.ts';
import type { TickRun } from '../../../shared/tick/tick-run.ts';
import { createSourceWorld } from '../source-world.ts';

it('a range in pieces begins no further piece after nine tenths of the remaining time', async () => {
  let elapsed = 10 * SECOND;
  const run = {
    session: {
      clock: { elapsed: () => elapsed },
      deadline: 60 * SECOND,
      paces: { walk: { note: () => {}, requestsIn: () => 100 } },
    },
    requestsOfWalks: () => 0,
  } as unknown as TickRun;
  const room = createRangeRoom(run);

  const before = room.hasTime();
  const during = await room.during(async () => {
    const atFirst = room.hasTime();
    elapsed = 55 * SECOND - 1;
    const almost = room.hasTime();
    elapsed = 55 * SECOND;
    return [atFirst, almost, room.hasTime()];
  });

  expect([before, ...during]).toEqual([true, true, true, false]);
});

// Seed 314023: after a process was frozen for minutes, its walks read one range in a tick for half an hour.
it('the time of a range during which the process was frozen counts only to the end of the tick', async () => {
  let elapsed = 10 * SECOND;
  const noted: (readonly [requests: number, duration: number])[] = [];
  const note = (requests: number, duration: number) => void noted.push([requests, duration]);
  let requests = 0;
  const run = {
    session: {
      clock: { elapsed: () => elapsed },
      deadline: 60 * SECOND,
      paces: { walk: { note, requestsIn: () => 100 } },
    },
    requestsOfWalks: () => requests,
  } as unknown as TickRun;
  const room = createRangeRoom(run);
  const read = (time: number) =>
    room.during(async () => {
      requests += 12;
      elapsed += time;
    });

  await read(20 * SECOND);
  await read(180 * SECOND);
  await read(SECOND);

  expect(noted).toEqual([
    [12, 20 * SECOND],
    [12, 30 * SECOND],
  ]);
});

it('new processes keep the pieces of a list that they read from a slow service', async () => {
  const world = createSourceWorld({
    groups: 24,
    knobs: { limitMax: 1, order: 'random' },
    latencyMs: 500,
    settings: { intervalMs: 60_000, reconcileMs: 60_000 },
  });
  let ticks = 0;
  do {
    ticks += 1;
    await world.nextTick(world.startProcess(`process ${ticks}`));
  } while ((await world.state()).baseline.status !== 'completed' && ticks < 30);

  expect(ticks).toBeLessThanOrEqual(4);
});
