import { describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../../shared/instant.ts';
import { createBucket } from '../../../shared/pacing/bucket.ts';
import { createTurns } from '../../../shared/pacing/turns.ts';
import type { LaneName } from '../../../shared/source/source-state.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

/** Lanes that take turns of a bucket with one request a second. */
function setUp() {
  const clock = createVirtualClock();
  const bucket = createBucket(60, clock.elapsed);
  bucket.empty();
  const turns = createTurns(bucket, clock);
  const granted: LaneName[] = [];

  async function take(lane: LaneName, deadline = HOUR, signal?: AbortSignal): Promise<void> {
    await turns.take(lane, () => deadline, signal);
    granted.push(lane);
  }

  async function takeMany(lane: LaneName, times: number): Promise<void> {
    for (let taken = 0; taken < times; taken += 1) await take(lane);
  }

  const shareOf = (lane: LaneName, of: readonly LaneName[]) => of.filter((each) => each === lane).length;
  return { clock, granted, take, takeMany, shareOf };
}

describe('the turns of lanes', () => {
  it('follow their shares while all have work', async () => {
    const { clock, granted, takeMany, shareOf } = setUp();
    const lanes = ['fresh', 'recent', 'late', 'older', 'look-ups'] as const;

    await clock.run(Promise.all(lanes.map((lane) => takeMany(lane, 130))));

    const busy = granted.slice(0, 130);
    expect(lanes.map((lane) => shareOf(lane, busy))).toEqual([60, 30, 20, 10, 10]);
  });

  it('leave the share of an idle lane to the others', async () => {
    const { clock, granted, takeMany, shareOf } = setUp();

    await clock.run(Promise.all([takeMany('recent', 60), takeMany('older', 60)]));

    expect(shareOf('recent', granted.slice(0, 40))).toBe(30);
  });

  it('give a lane that was idle no more than its share when it comes back', async () => {
    const { clock, granted, take, takeMany, shareOf } = setUp();
    await clock.run(take('late'));
    await clock.run(takeMany('older', 50));
    granted.length = 0;

    await clock.run(Promise.all([takeMany('late', 40), takeMany('older', 40)]));

    expect(shareOf('late', granted.slice(0, 30))).toBe(20);
  });

  it('are refused at once if they would come after the deadline', async () => {
    const { clock, take } = setUp();

    const error = await take('late', 0.5 * SECOND).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      name: 'DeadlineReached',
      message: 'The next request would come after the deadline.',
    });
    expect(clock.elapsed()).toBe(0);
  });

  it('end at once when they are aborted, and the others go on', async () => {
    const { clock, granted, take } = setUp();
    const stop = new AbortController();
    const stopped = take('late', HOUR, stop.signal).catch((thrown: unknown) => thrown);
    const other = take('recent');

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
