import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import { RequestTimedOutError } from '../../../shared/returns-service/errors.ts';
import { withCycle } from '../../../shared/source/cycle-state.ts';
import { createSweeping, sweepingBefore } from '../../../shared/tick/sweep.ts';
import { aState } from '../../contract/sample-states.ts';
import { aRow, idsFrom } from '../reading/some-rows.ts';
import { createUnorderedRun, NOW, settledState, type UnorderedRun } from './unordered-run.ts';

/** 27 groups, one a day, in pieces of nine. */
const DAILY = idsFrom(1, 27)
  .reverse()
  .map((days) => NOW - days * DAY);
const day = (days: number) => NOW - days * DAY;
const PIECES = [
  { from: undefined, to: day(18) },
  { from: day(18), to: day(9) },
  { from: day(9), to: undefined },
];

const piecesOf = ({ asked }: UnorderedRun) => asked.map(({ range }) => range.created);

describe('a sweep', () => {
  it('reads two pieces before each request of the walk, each with one request, from the oldest on', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const sweepOn = createSweeping(world.run);

    await sweepOn();
    const first = piecesOf(world);
    await sweepOn();

    expect(first).toEqual(PIECES.slice(0, 2));
    expect(piecesOf(world)).toEqual(PIECES);
    expect(world.asked.every(({ purpose, offset }) => purpose === 'reconciliation' && offset === 0)).toBe(
      true,
    );
  });

  it('leaves room after each piece for what may be due', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const { run } = world;
    const readSoFar: number[] = [];
    const fetch = sweepingBefore(run.fetchAndLearn('covering'), createSweeping(run));

    await fetch({ range: {}, offset: 0 }, async () => {
      readSoFar.push(world.asked.length);
    });

    expect(readSoFar).toEqual([1, 2]);
    expect(world.asked.map(({ purpose }) => purpose)).toEqual([
      'reconciliation',
      'reconciliation',
      'covering',
    ]);
  });

  it('reads no piece twice if a poll comes due while one waits for the budget', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const sweepOn = createSweeping(world.run);
    let ofPoll: Promise<void> | undefined;
    world.onRequest = () => {
      ofPoll ??= sweepOn();
    };

    await sweepOn();
    await ofPoll;

    expect(piecesOf(world)).toEqual(PIECES.slice(0, 2));
  });

  it.each([
    { polls: 'walks', isUnordered: true, everyMs: 5_000 },
    { polls: 'by update', isUnordered: false, everyMs: 60_000 },
  ])('begins again once an interval or cycle, if polls are $polls', async ({ isUnordered, everyMs }) => {
    // Without a walk that has settled something lately, polls go by update.
    const world = createUnorderedRun({ createdAt: DAILY });
    if (!isUnordered) world.advance(10 * MINUTE);
    const sweepOn = createSweeping(world.run);
    const afterMs = async (ms: number) => {
      world.advance(ms * 1_000);
      const before = world.asked.length;
      await sweepOn();
      return world.asked.length - before;
    };

    for (let calls = 0; calls < 4; calls += 1) await sweepOn();

    expect(world.asked).toHaveLength(3);
    expect([await afterMs(everyMs - 1), await afterMs(1), await afterMs(0)]).toEqual([0, 2, 1]);
  });

  it('begins again at once if the clock has gone back', async () => {
    const world = createUnorderedRun({ createdAt: [] });
    const sweepOn = createSweeping(world.run);
    await sweepOn();

    world.advance(-10 * SECOND);
    await sweepOn();

    expect(world.asked).toHaveLength(2);
  });

  it('never begins while the list keeps its order, nor before the baseline is complete', async () => {
    const { baseline } = aState('acme');
    const running = settledState(30, { baseline: { ...baseline, status: 'running' } });
    const worlds = [
      createUnorderedRun({ createdAt: DAILY, isUnordered: false }),
      createUnorderedRun({ createdAt: DAILY, state: running }),
    ];

    for (const { run } of worlds) await createSweeping(run)();

    expect(worlds.map(({ asked }) => asked.length)).toEqual([0, 0]);
  });

  it('waits until the walk has made progress in this tick, or has sent twenty requests', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const { run, asked } = world;
    run.walked.clear();
    const sweepOn = createSweeping(run);
    const fetch = run.fetchAndLearn('reconciliation');

    for (let requests = 0; requests < 19; requests += 1) await fetch({ range: {}, offset: 0 });
    await sweepOn();
    const before = asked.length;
    await fetch({ range: {}, offset: 0 });
    await sweepOn();

    expect([before, asked.length]).toEqual([19, 22]);
  });

  it('reads a recent piece, then three older ones, if a walk over all does not fit a cycle', async () => {
    const old = idsFrom(46, 81)
      .reverse()
      .map((days) => NOW - days * DAY);
    const world = createUnorderedRun({ createdAt: [...old, ...DAILY], state: settledState(201) });
    const sweepOn = createSweeping(world.run);

    for (let calls = 0; calls < 4; calls += 1) await sweepOn();

    expect(piecesOf(world)).toEqual([
      { from: day(45), to: day(18) },
      { from: undefined, to: day(72) },
      { from: day(72), to: day(63) },
      { from: day(63), to: day(54) },
      { from: day(18), to: day(9) },
      { from: day(54), to: day(45) },
      { from: day(9), to: undefined },
    ]);
  });

  it('cuts the remaining pieces again if pages are shorter than expected', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const sweepOn = createSweeping(world.run);
    await sweepOn();

    world.list.fullPage = 5;
    for (let calls = 0; calls < 3; calls += 1) await sweepOn();

    expect(piecesOf(world)).toEqual([
      ...PIECES.slice(0, 2),
      { from: day(9), to: day(5) },
      { from: day(5), to: day(1) },
      { from: day(1), to: undefined },
    ]);
  });

  it('waits for the requests of a poll as for those of a walk', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const { run, asked } = world;
    run.walked.clear();
    const fetch = sweepingBefore(run.fetchAndLearn('covering'), createSweeping(run));

    for (let requests = 0; requests < 21; requests += 1) await fetch({ range: {}, offset: 0 });

    expect(asked.map(({ purpose }) => purpose)).toEqual([
      ...Array.from({ length: 20 }, () => 'covering'),
      ...['reconciliation', 'reconciliation', 'covering'],
    ]);
  });

  it('continues with the next piece if one fails, without ending the tick', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    world.onRequest = ({ range }) => {
      if (range.created?.to === day(18)) throw new RequestTimedOutError('injected by the test', {});
    };

    await createSweeping(world.run)();

    expect(piecesOf(world)).toEqual(PIECES.slice(0, 2));
  });

  it('begins the next tick with the piece that the end of the last tick interrupted', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    let isOver = true;
    world.onRequest = ({ range }) => {
      if (isOver && range.created?.to === day(9)) throw new DeadlineReached('injected by the test');
    };

    await expect(createSweeping(world.run)()).rejects.toThrow(DeadlineReached);
    isOver = false;
    await createSweeping(world.run)();

    expect(piecesOf(world)).toEqual([PIECES[0], PIECES[1], PIECES[1], PIECES[2]]);
  });

  it.each([
    {
      created: 'over a day',
      instants: idsFrom(1, 60).map((n) => NOW - DAY + n * MINUTE),
      seen: 60,
      most: 16,
    },
    { created: 'at once', instants: idsFrom(1, 60).map(() => NOW - DAY), seen: 10, most: 6 },
  ])('cuts pieces that are full of new groups, created $created', async ({ instants, seen, most }) => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const created = instants.map((_, index) =>
      aRow(1_000 + index, { createdAt: instants[(index * 37) % 60] ?? 0 }),
    );
    const shown = new Set<unknown>();
    world.answer = ({ range }) => {
      const { from = 0, to = Number.POSITIVE_INFINITY } = range.created ?? {};
      const rows = created.filter(({ createdAt }) => createdAt >= from && createdAt < to).slice(0, 10);
      for (const row of rows) shown.add(row);
      return rows;
    };
    const sweepOn = createSweeping(world.run);

    for (let calls = 0; calls < 20; calls += 1) await sweepOn();

    expect(shown.size).toBe(seen);
    expect(world.list.sweeps.all?.left).toEqual([]);
    expect(world.asked.length).toBeLessThanOrEqual(PIECES.length + most);
  });

  it('does not cut pieces if each page has only one row', async () => {
    const world = createUnorderedRun({ createdAt: DAILY.slice(0, 3) });
    world.list.fullPage = 1;
    world.answer = ({ range }) => [aRow(1, { createdAt: range.created?.from ?? day(27) })];
    const sweepOn = createSweeping(world.run);

    for (let calls = 0; calls < 5; calls += 1) await sweepOn();

    expect(world.asked).toHaveLength(3);
  });

  it('does not count as a request of the walk', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    // One request is tried again.
    world.onRequest = ({ range }) => {
      if (range.created?.to === day(18)) world.asked.push({ purpose: 'reconciliation', range, offset: 0 });
    };

    await createSweeping(world.run)();

    expect(world.run.swept).toBe(3);
  });

  // Before, the first sweep of a process measured from the baseline: in weeks, almost any share of changes was usual.
  it('measures the time in which changes are usual from the last walk, then from the sweep before', async () => {
    const world = createUnorderedRun({ createdAt: [] });
    const sweepOn = createSweeping(world.run);

    await sweepOn();
    const first = world.list.sweeps.all;
    world.advance(5 * MINUTE);
    await sweepOn();

    expect(first?.since).toBe(world.run.state.reconciliation.all.startedAt);
    expect(world.list.sweeps.all?.since).toBe(first?.startedAt);
  });

  // Before, the changes of hours were taught as those of one cycle.
  it('counts the changes of the first sweep after a hold over the time since the last sweep or walk before it', async () => {
    const settled = settledState(30, { guarding: aState('acme').guarding });
    const { reconciliation } = settled;
    const unheldSince = NOW - 5 * HOUR;
    const held = {
      ...settled,
      reconciliation: { ...reconciliation, all: { ...reconciliation.all, unheldSince } },
    };
    const [hold] = held.guarding.holds;
    const guarding = {
      ...held.guarding,
      holds: hold ? [{ ...hold, guard: 'changed_without_stamps' as const }] : [],
    };
    const world = createUnorderedRun({ createdAt: [], state: { ...held, guarding } });
    const sweepOn = createSweeping(world.run);

    await sweepOn();
    world.run.update((state) => ({ ...state, guarding: { ...state.guarding, holds: [] } }));
    const since: unknown[] = [];
    for (const _sweep of ['the first after the hold', 'the second']) {
      world.advance(5 * MINUTE);
      await sweepOn();
      since.push(world.list.sweeps.all?.unheldSince);
    }

    expect(since).toEqual([unheldSince, NOW + 5 * MINUTE]);
  });

  it('notes the rate that it has shown when its last piece is read', async () => {
    const world = createUnorderedRun({ createdAt: DAILY });
    const sweepOn = createSweeping(world.run);
    const learned = () => world.run.state.reconciliation.all.ratePerHour;
    // Less than any rate.
    world.run.update((state) => withCycle(state, 'all', { ...state.reconciliation.all, ratePerHour: -1 }));

    await sweepOn();
    const before = learned();
    await sweepOn();

    expect([before, learned()]).toEqual([-1, 0]);
  });
});
