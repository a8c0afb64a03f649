import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MILLISECOND, MINUTE, SECOND } from '../../shared/instant.ts';
import { createVirtualClock, VIRTUAL_START } from './virtual-clock.ts';

describe('virtual time', () => {
  it('does not move by itself', async () => {
    const clock = createVirtualClock();

    await new Promise((resolve) => setImmediate(resolve));

    expect([clock.now(), clock.elapsed()]).toEqual([VIRTUAL_START, 0]);
  });

  it('moves exactly as far as it is moved', async () => {
    const clock = createVirtualClock(1_000);
    const slept = clock.sleep(2_000);

    await clock.advance(1_999 * MILLISECOND);
    const before = await Promise.race([slept.then(() => 'awake'), Promise.resolve('asleep')]);
    await clock.advance(MILLISECOND);

    expect(before).toBe('asleep');
    await slept;
    expect([clock.now(), clock.elapsed()]).toEqual([2 * SECOND + 1_000, 2 * SECOND]);
  });

  it('wakes sleepers one by one, by their time and then by their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 50 }), async (durations) => {
        const clock = createVirtualClock();
        const woken: [number, number][] = [];

        const sleeping = durations.map(async (durationMs, index) => {
          await clock.sleep(durationMs);
          await Promise.resolve().then(() => undefined);
          expect(clock.elapsed()).toBe(durationMs * MILLISECOND);
          woken.push([durationMs, index]);
        });
        await clock.run(Promise.all(sleeping));

        const expected = durations.map((durationMs, index): [number, number] => [durationMs, index]);
        expect(woken).toEqual(expected.sort(([a, i], [b, j]) => a - b || i - j));
      }),
    );
  });

  it('wakes sleepers that sleep again', async () => {
    const clock = createVirtualClock();
    const ticks: number[] = [];
    const ticking = async () => {
      for (;;) {
        await clock.sleep(1_000);
        ticks.push(clock.elapsed() / SECOND);
      }
    };

    void ticking();
    await clock.advance(3_500 * MILLISECOND);

    expect(ticks).toEqual([1, 2, 3]);
    expect(clock.elapsed()).toBe(3_500 * MILLISECOND);
  });

  it('returns the result of the work, or throws its error', async () => {
    const clock = createVirtualClock();

    const answer = clock.run(clock.sleep(5).then(() => 'done'));
    await expect(answer).resolves.toBe('done');
    const failure = clock.run(clock.sleep(5).then(() => Promise.reject(new Error('broken'))));

    await expect(failure).rejects.toThrow('broken');
  });

  it('throws if the work can never finish', async () => {
    const clock = createVirtualClock();
    const never = new Promise(() => {});

    await expect(clock.run(never)).rejects.toThrow('waits for something that is not time');
    await expect(clock.run(clock.sleep(60_001), MINUTE)).rejects.toThrow('not done after 60000 ms');
  });

  it('throws if a second caller moves it at the same time', async () => {
    const clock = createVirtualClock();

    const first = clock.run(clock.sleep(5));

    await expect(clock.advance(5)).rejects.toThrow('already moving');
    await first;
  });

  it('wakes an aborted sleeper at once, and no sleeper twice', async () => {
    const clock = createVirtualClock();
    const stop = new AbortController();
    let awake = false;
    const sleeping = clock.sleep(1_000, stop.signal).then(() => {
      awake = true;
    });

    stop.abort();
    await sleeping;
    await clock.run(clock.sleep(1_000, stop.signal));

    expect(awake).toBe(true);
    expect(clock.elapsed()).toBe(0);
    await clock.run(clock.sleep(2_000));
    expect(clock.elapsed()).toBe(2 * SECOND);
  });
});

describe('the clock of a machine', () => {
  it('deviates from the common time', async () => {
    const clock = createVirtualClock();
    const machine = clock.machine({ ahead: -HOUR, elapsed: 7 });

    await clock.advance(SECOND);

    expect(machine.now()).toBe(VIRTUAL_START - HOUR + SECOND);
    expect(machine.elapsed()).toBe(SECOND + 7);
  });

  it('runs faster, and its sleepers with it', async () => {
    const clock = createVirtualClock();
    await clock.advance(SECOND);
    const machine = clock.machine({ rate: 2 });

    await clock.run(machine.sleep(3_000));

    expect(clock.elapsed()).toBe(2.5 * SECOND);
    expect(machine.elapsed()).toBe(3 * SECOND);
    expect(machine.now()).toBe(VIRTUAL_START + 4 * SECOND);
  });

  it('jumps without elapsed time', () => {
    const machine = createVirtualClock().machine();

    machine.jump(HOUR);

    expect([machine.now(), machine.elapsed()]).toEqual([VIRTUAL_START + HOUR, 0]);
  });

  it('does not count the time of a suspension', async () => {
    const clock = createVirtualClock();
    const machine = clock.machine();

    await clock.advance(MINUTE);
    machine.suspend(MINUTE);

    expect([machine.now(), machine.elapsed()]).toEqual([VIRTUAL_START + MINUTE, 0]);
  });

  it('cannot be suspended for longer than the time since it was last read', async () => {
    const clock = createVirtualClock();
    const machine = clock.machine();

    await clock.advance(MINUTE);
    machine.elapsed();
    machine.suspend(MINUTE);

    expect(() => machine.elapsed()).toThrow('An elapsed clock went back by 60000000 microseconds.');
  });
});
