import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import { createBucket } from '../../../shared/pacing/bucket.ts';
import { createTurns, type Turn } from '../../../shared/pacing/turns.ts';
import type { LaneName } from '../../../shared/source/source-state.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const FRESH: Turn = { lane: 'fresh', order: 'first' };
const OVERDUE: Turn = { lane: 'late', order: 'overdue' };
const LATE: Turn = { lane: 'late', order: 'due' };
const RECENT: Turn = { lane: 'recent' };
const OLDER: Turn = { lane: 'older', order: 'due' };
const LOOK_UPS: Turn = { lane: 'look-ups' };
const EARLY: Turn = { lane: 'recent', order: 'early' };

/** Lanes that take turns of a bucket of six, with about one request a second. */
function setUp({ isFull = false } = {}) {
  const clock = createVirtualClock();
  const bucket = createBucket(60, clock.elapsed);
  if (!isFull) bucket.empty();
  const turns = createTurns(bucket, clock);
  const granted: LaneName[] = [];
  /** The granted lanes with the whole second. */
  const grantedAt: string[] = [];

  async function take(turn: Turn, deadline = HOUR, signal?: AbortSignal): Promise<void> {
    await turns.take(turn, () => deadline, signal);
    granted.push(turn.lane);
    grantedAt.push(`${turn.lane} at ${Math.floor(clock.elapsed() / SECOND)}`);
  }

  async function takeMany(turn: Turn, times: number): Promise<void> {
    for (let taken = 0; taken < times; taken += 1) await take(turn);
  }

  /** Lanes that ask again as soon as they are served. */
  const busy = (turns: readonly Turn[], times = 20) =>
    clock.run(Promise.all(turns.map((turn) => takeMany(turn, times))));
  return { clock, granted, grantedAt, take, takeMany, busy };
}

describe('the turns of lanes', () => {
  it('are those of what comes first, then what is overdue, then due, and at last early', async () => {
    const { granted, busy } = setUp();

    await busy([EARLY, LOOK_UPS, OVERDUE, FRESH], 1);

    expect(granted).toEqual(['fresh', 'late', 'look-ups', 'recent']);
  });

  it.each([
    ['each second one to what is overdue', OVERDUE, 'fo'],
    ['each eighth one to what is due', RECENT, 'fffffffo'],
  ])('of polls of the newest changes leave %s', async (_, turn, expected) => {
    const { granted, busy } = setUp();

    await busy([FRESH, turn], 40);

    const pattern = granted.slice(0, 24).map((lane) => (lane === 'fresh' ? 'f' : 'o'));
    expect(pattern.join('')).toBe(expected.repeat(24 / expected.length));
  });

  it('of polls of the newest changes leave none to early work', async () => {
    const { granted, busy } = setUp();

    await busy([FRESH, EARLY]);

    expect(granted.slice(0, 20)).toEqual(Array(20).fill('fresh'));
  });

  it('count in a row only while something guaranteed waits', async () => {
    const { clock, granted, takeMany } = setUp();
    await clock.run(takeMany(FRESH, 10));
    granted.length = 0;

    await clock.run(Promise.all([takeMany(FRESH, 10), takeMany(OLDER, 1)]));

    expect(granted.indexOf('older')).toBe(7);
  });

  it('of lanes in one order follow each other', async () => {
    const { granted, busy } = setUp();
    const lanes = [LATE, RECENT, OLDER, LOOK_UPS];

    await busy(lanes);

    const rounds = [0, 4, 8].map((start) => granted.slice(start, start + 4));
    expect(rounds).toEqual(Array(3).fill(lanes.map(({ lane }) => lane)));
  });

  it('of what is overdue are every second one at most: it may be more than the budget allows', async () => {
    const { granted, busy } = setUp();

    await busy([OVERDUE, RECENT]);

    expect(granted.slice(0, 6)).toEqual(['late', 'recent', 'late', 'recent', 'late', 'recent']);
  });

  it('of early work come when nothing else waits', async () => {
    const { granted, busy } = setUp();

    await busy([EARLY, OLDER], 5);

    expect(granted).toEqual([...Array(5).fill('older'), ...Array(5).fill('recent')]);
  });

  it('are no more than before for a lane that was idle', async () => {
    const { clock, granted, take, takeMany, busy } = setUp();
    await clock.run(take(LATE));
    await clock.run(takeMany(OLDER, 50));
    granted.length = 0;

    await busy([LATE, OLDER]);

    expect(granted.slice(0, 8).filter((lane) => lane === 'late')).toHaveLength(4);
  });
});

describe('half of the bucket', () => {
  it.each([
    ['is kept from what is overdue', OVERDUE, 3],
    ['is kept from what is due', RECENT, 3],
    ['is kept from early work', EARLY, 3],
    ['is for polls of the newest changes', FRESH, 6],
    ['is used by all in the baseline', { ...RECENT, usesAll: true }, 6],
  ])('%s', async (_, turn, atOnce) => {
    const { grantedAt, busy } = setUp({ isFull: true });

    await busy([turn], 10);

    expect(grantedAt.filter((each) => each.endsWith(' at 0'))).toHaveLength(atOnce);
  });

  it('is not kept from each eighth request', async () => {
    const { clock, granted, takeMany } = setUp();

    await clock.run(Promise.all([takeMany(FRESH, 30), takeMany(RECENT, 3)]));

    expect(granted.filter((lane) => lane === 'recent')).toHaveLength(3);
    expect(granted.at(-1)).toBe('fresh');
  });

  it('is there at once for polls that come while others wait for more', async () => {
    const { clock, grantedAt, take, takeMany } = setUp({ isFull: true });
    const others = takeMany(RECENT, 6);
    const poll = clock.sleep(1_500).then(() => takeMany(FRESH, 3));

    await clock.run(Promise.all([others, poll]));
    await clock.run(take(FRESH));

    expect(grantedAt.filter((each) => each.startsWith('fresh')).slice(0, 3)).toEqual(
      Array(3).fill('fresh at 1'),
    );
  });
});

describe('a turn', () => {
  it('is refused at once if it would come after the deadline', async () => {
    const { clock, take } = setUp();

    const error = await take(LATE, 0.5 * SECOND).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      name: 'DeadlineReached',
      message: 'The next request would come after the deadline.',
    });
    expect(clock.elapsed()).toBe(0);
  });

  it('is refused by what its order leaves: what is kept for polls may come in time', async () => {
    const { clock, granted, take } = setUp();
    const refused = take(RECENT, 2 * SECOND).catch((thrown: unknown) => thrown);

    await clock.run(take(FRESH, 2 * SECOND));

    expect(await refused).toMatchObject({ name: 'DeadlineReached' });
    expect(granted).toEqual(['fresh']);
  });

  it('ends at once when it is aborted, and the others go on', async () => {
    const { clock, granted, take } = setUp();
    const stop = new AbortController();
    const stopped = take(LATE, HOUR, stop.signal).catch((thrown: unknown) => thrown);
    const other = take(RECENT);

    stop.abort();

    expect(await clock.run(stopped)).toMatchObject({
      name: 'DeadlineReached',
      message: 'Asked to stop before the next request.',
    });
    expect(clock.elapsed()).toBe(0);
    await clock.run(other);
    expect(granted).toEqual(['recent']);
  });
});
