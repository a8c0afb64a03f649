import { expect, test } from 'vitest';
import { VIRTUAL_START } from '../fakes/virtual-clock.ts';
import { createBreakablePauses } from './breakable-pauses.ts';

/** A clock with pauses that only their signal ends. */
const endless = {
  now: () => VIRTUAL_START,
  elapsed: () => 0,
  sleep: (_durationMs: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
};

test('ends every current pause, but no later one', async () => {
  const { pause, cutShort } = createBreakablePauses(endless);
  const going = Promise.all([pause(1_000), pause(2_000)]);

  cutShort();
  const later = pause(1_000).then(() => 'ended');

  await expect(going).resolves.toBeDefined();
  await expect(Promise.race([later, Promise.resolve('goes on')])).resolves.toBe('goes on');
});

test('has no pauses after it is closed', async () => {
  const { pause, close } = createBreakablePauses(endless);
  const going = pause(1_000);

  close();

  await expect(Promise.all([going, pause(1_000)])).resolves.toBeDefined();
});
