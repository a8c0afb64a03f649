// A store whose groups were all created within a second, as fixtures and imports create them: no list of them can be
// cut.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

it.each([
  { groups: 14, pageRows: 200 },
  { groups: 120, pageRows: 200 },
  { groups: 60, pageRows: 20 },
])(
  'is read to its proved end, with at most 300 requests in half an hour: $groups groups on pages of $pageRows rows',
  async ({ groups, pageRows }) => {
    const world = createSourceWorld({
      groups: 0,
      knobs: { limitMax: pageRows },
      settings: { reconcileMs: 600_000, sourceRead: true },
    });
    for (let index = 0; index < groups; index += 1) world.control.create();
    let requests = 0;
    world.network.intercept = () => {
      requests += 1;
      return undefined;
    };
    const session = world.startProcess('a');

    await world.tick(session);
    for (let minute = 0; minute < 30; minute += 1) await world.nextTick(session);

    const { baseline, health, read } = await world.state();
    expect(baseline.status).toBe('completed');
    expect(health.reasons).toEqual([]);
    expect(read.reconciledThrough).toBeDefined();
    expect(requests).toBeLessThan(300);
  },
);
