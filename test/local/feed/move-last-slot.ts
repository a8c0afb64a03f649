import { withFeed } from '../../../local/place/with-feed.ts';

/** Moves the last slot ahead, like a wrong clock. Retries if a running tick saves in between. */
export async function moveLastSlot(dataDir: string, aheadMs: number): Promise<void> {
  await withFeed({ data: dataDir }, async ({ states, stateOf }) => {
    for (;;) {
      const state = await stateOf('acme');
      const lastSlot = state.lastSlot + aheadMs;
      const next = { ...state, version: state.version + 1, lastSlot };
      if ((await states.save(next, state.version)) === 'saved') return;
    }
  });
}
