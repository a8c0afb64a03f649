import { describe, expect, it } from 'vitest';
import { HOUR, type Instant, MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { Lane } from '../../../shared/lanes/lane.ts';
import { runLanes } from '../../../shared/lanes/run-lanes.ts';
import { DeadlineReached } from '../../../shared/pacing/errors.ts';
import type { LaneName } from '../../../shared/source/source-state.ts';
import { createListWorld } from '../list-world.ts';

function setUp() {
  const { time, begin } = createListWorld();
  const run = begin();
  const worked: string[] = [];

  /** A lane that works at these moments, in seconds after the start, each time for so long. */
  function lane(name: LaneName, moments: number[], takes = 1): Lane {
    const start = time.now();
    const dueAt = (): Instant => (moments[0] === undefined ? Infinity : start + moments[0] * SECOND);
    return {
      name,
      dueAt,
      async work() {
        moments.shift();
        worked.push(`${name} at ${(time.now() - start) / SECOND}`);
        await time.sleep(takes * 1_000, run.stopped);
      },
    };
  }

  const go = (...lanes: Lane[]) => time.run(runLanes(run, lanes));
  return { time, run, worked, lane, go };
}

describe('the lanes of a tick', () => {
  it('work beside each other, each when it is due', async () => {
    const { worked, lane, go } = setUp();

    await go(lane('fresh', [0, 1]), lane('late', [0, 2]));

    expect(worked).toEqual(['fresh at 0', 'late at 0', 'fresh at 1', 'late at 2']);
  });

  it('end when nothing is under way and nothing comes due within half a second', async () => {
    const { time, worked, lane, go } = setUp();

    await go(lane('fresh', [0, 1.5, 4]), lane('late', [0, 60]));

    expect(worked).toEqual(['fresh at 0', 'late at 0', 'fresh at 1.5']);
    expect(time.elapsed()).toBe(2.5 * SECOND);
  });

  it('are woken by work that another lane found for them', async () => {
    const { worked, lane, go } = setUp();
    const lookUps: number[] = [];
    const recent = lane('recent', [0]);
    const finding: Lane = {
      ...recent,
      async work() {
        await recent.work();
        lookUps.push(0);
      },
    };

    await go(finding, lane('look-ups', lookUps));

    expect(worked).toEqual(['recent at 0', 'look-ups at 1']);
  });

  it('do not wait for a lane that hangs', async () => {
    const { time, worked, lane, go } = setUp();

    await go(lane('late', [0], 40), lane('fresh', [0, 5, 10, 15]));

    expect(worked).toEqual(['late at 0', 'fresh at 0', 'fresh at 5', 'fresh at 10', 'fresh at 15']);
    expect(time.elapsed()).toBe(40 * SECOND);
  });

  it('all end with the failure of one', async () => {
    const { time, run, lane, go } = setUp();
    const failing: Lane = {
      ...lane('late', [0]),
      async work() {
        await time.sleep(1_500);
        throw new Error('the store is away');
      },
    };

    await expect(go(failing, lane('recent', [0], 30), lane('older', [HOUR]))).rejects.toThrow(
      'the store is away',
    );

    expect(time.elapsed()).toBe(1_500 * MILLISECOND);
    expect(run.stopped.aborted).toBe(true);
  });

  it('all end at the deadline, which is no failure', async () => {
    const { time, lane, go } = setUp();
    const late: Lane = {
      ...lane('late', [0]),
      work: () => Promise.reject(new DeadlineReached('The next request would come after the deadline.')),
    };

    await go(late, lane('recent', [0], 30));

    expect(time.elapsed()).toBe(0);
  });

  it('all end when the tick is stopped', async () => {
    const { time, run, lane, go } = setUp();
    const stopping = time.sleep(3_000).then(() => run.stop());

    await go(lane('recent', [0], 30), lane('older', [MINUTE / SECOND]));

    await stopping;
    expect(time.elapsed()).toBe(3 * SECOND);
  });
});
