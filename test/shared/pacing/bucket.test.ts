import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { type Bucket, createBucket } from '../../../shared/pacing/bucket.ts';
import { runs } from '../../property-runs.ts';

/** The bucket of one process at a time that the test sets. */
function setUp(requestsPerMinute: number) {
  const time = { now: 0 };
  const open = () => createBucket(requestsPerMinute, () => time.now);
  return { time, bucket: open(), open };
}

/** Waits until a request may be sent. */
function pass(time: { now: number }, bucket: Bucket): void {
  for (let wait = bucket.wait(); wait > 0; wait = bucket.wait()) time.now += wait;
}

/** The most moments within any 60 seconds. */
function mostWithinAMinute(moments: readonly number[]): number {
  const counts = moments.map(
    (from, at) => moments.filter((each, i) => i >= at && each < from + MINUTE).length,
  );
  return Math.max(0, ...counts);
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('take' as const), times: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('wait' as const), by: fc.nat(90 * SECOND) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('pause' as const), by: fc.nat(30 * SECOND) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('take over' as const) }) },
);

describe('the budget of a process', () => {
  it('admits no more requests than it has in any 60 seconds, however many processes take turns', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.array(step, { maxLength: 40 }), (budget, steps) => {
        const world = setUp(budget);
        let { bucket } = world;
        const sent: number[] = [];

        for (const each of steps) {
          if (each.does === 'wait') world.time.now += each.by;
          else if (each.does === 'pause') bucket.pause(each.by);
          else if (each.does === 'take over') {
            bucket = world.open();
            bucket.empty();
          } else {
            for (let taken = 0; taken < each.times; taken += 1) {
              pass(world.time, bucket);
              bucket.take();
              sent.push(world.time.now);
            }
          }
        }

        expect(mostWithinAMinute(sent)).toBeLessThanOrEqual(budget);
      }),
      { numRuns: runs(100) },
    );
  });

  it('is used up to nine tenths by steady requests', () => {
    const { time, bucket } = setUp(240);
    let sent = 0;

    for (; time.now < 10 * MINUTE; sent += 1) {
      pass(time, bucket);
      bucket.take();
    }

    expect(sent).toBeGreaterThan(9 * 0.9 * 240);
  });

  it('allows a tenth of it at once after a rest', () => {
    const { time, bucket } = setUp(240);
    time.now += MINUTE;
    let sent = 0;

    for (; bucket.wait() === 0; sent += 1) bucket.take();

    expect(sent).toBe(24);
  });

  it.each([
    [240, 24, 12],
    [60, 6, 3],
    [30, 3, 1],
    [19, 1, 0],
    [1, 1, 0],
  ])('of %i a minute keeps half of its %i tokens for polls, rounded down: %i', (budget, depth, kept) => {
    const { bucket } = setUp(budget);
    let sent = 0;

    for (; bucket.wait(bucket.kept) === 0; sent += 1) bucket.take();

    expect(bucket.kept).toBe(kept);
    expect(sent).toBe(depth - kept);
    expect(bucket.wait(bucket.kept)).toBeLessThan(bucket.wait(depth));
    for (; bucket.wait() === 0; sent += 1) bucket.take();
    expect(sent).toBe(depth);
  });

  it('is empty for a process that takes over', () => {
    const { bucket } = setUp(60);

    bucket.empty();

    expect(bucket.wait()).toBeGreaterThan(SECOND);
  });

  it('has no token during a pause, and none left after it', () => {
    const { time, bucket } = setUp(60);
    bucket.pause(10 * SECOND);

    const waits = [bucket.wait()];
    time.now += 10 * SECOND;
    waits.push(bucket.wait());

    expect(waits[0]).toBe(10 * SECOND);
    expect(waits[1]).toBeGreaterThan(SECOND);
  });
});
