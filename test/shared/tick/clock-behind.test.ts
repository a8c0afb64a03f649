// A machine whose clock is far behind, while the service's Date is right. Each tick has a new process, so the first list
// of each is requested by that clock.
import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

it.each([0, 70 * MINUTE, 2 * HOUR, DAY])(
  'polls find a change though the clock is %i µs behind',
  async (behind) => {
    const world = createSourceWorld({
      groups: 400,
      knobs: { limitMax: 20 },
      settings: { intervalMs: 60_000, reconcileMs: 6 * 3_600_000, requestsPerMinute: 60 },
    });
    const clock = { ...world.time, now: () => world.time.now() - behind };
    const ticks = async (count: number) => {
      for (let made = 0; made < count; made += 1)
        await world.nextTick(world.startProcess(`p${made}`, { clock }));
    };
    await ticks(20);
    const group = world.someGroup();
    const before = (await world.groupEvents(group)).length;
    world.change(group);

    await ticks(3);

    expect((await world.groupEvents(group)).length).toBe(before + 1);
    const { settledThrough } = await world.state();
    expect(world.time.now() - settledThrough).toBeLessThan(10 * MINUTE);
  },
);
