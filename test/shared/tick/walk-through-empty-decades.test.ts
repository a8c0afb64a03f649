// The defect: in a tick of few requests the first range was cut off and halved, the next one, nearly empty, doubled the
// width back to the first, and so on: the walk advanced by months of empty decades in each round.
import { expect, it } from 'vitest';
import { MILLISECOND } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

const TICKS = 60;

it('a walk gets through the empty decades before the store’s groups, however few requests a tick has', async () => {
  const intervalMs = 10_000;
  const world = createSourceWorld({
    groups: 1_000,
    latencyMs: 3_000,
    life: { changesPerSecond: 0.1 },
    settings: { intervalMs },
  });
  const session = world.startProcess('a');

  for (let tick = 0; tick < TICKS; tick += 1) {
    const begun = world.time.now();
    await world.tick(session);
    const tookMs = (world.time.now() - begun) / MILLISECOND;
    await world.time.advance((Math.ceil(tookMs / intervalMs) * intervalMs - tookMs) * MILLISECOND);
  }

  const { baseline } = await world.state();
  expect(baseline.groups).toBeGreaterThan(100);
});
