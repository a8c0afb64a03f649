import { expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

it('reconciled_through stands still while a group is created each second, and moves again afterwards', async () => {
  const world = createSourceWorld({ groups: 300, settings: { requestsPerMinute: 60 } });
  let last = world.time.now();
  let isBusy = true;
  world.network.onRequest = () => {
    for (; isBusy && world.time.now() - last > SECOND; last += SECOND) world.control.create();
  };
  const session = world.startProcess('a');
  const reconciledThrough = async () => (await world.state()).read.reconciledThrough;

  for (let minute = 0; minute < 25; minute += 1) await world.nextTick(session);
  const whileBusy = await reconciledThrough();
  isBusy = false;
  for (let minute = 0; minute < 15; minute += 1) await world.nextTick(session);

  expect(whileBusy).toBeUndefined();
  expect(await reconciledThrough()).toBeGreaterThan(0);
});
