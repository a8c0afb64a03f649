// A data directory on this machine, for `move`: a source that was polled, whose events a forwarded URL has not accepted.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findForwardSecret } from '../../local/feed/forward-secret.ts';
import { openStore } from '../../local/store/open-store.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { aSave } from '../contract/sample-saves.ts';
import { aState } from '../contract/sample-states.ts';

/** Lasts until the end of the test. @returns its path, and the URL's address */
export async function createMovableDirectory(
  source: string,
): Promise<{ readonly directory: string; readonly address: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'move-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const address = 'https://wms.example.com/returns';
  const store = await openStore(directory);
  const state = aState(source, 1, { mintedIn: await store.states.identity() });
  await store.states.save(state, 0);
  const key = { source, generation: state.generation, group: 1 };
  await store.snapshots.save(key, aSave(key, undefined, 2));
  await store.forwards.replace([{ id: 'forward-1', address, filter: {} }]);
  await store.endpoints.save('forward-1', { ...newEndpoint(0), version: 1 }, 0);
  await findForwardSecret(directory);
  await store.close();
  return { directory, address };
}
