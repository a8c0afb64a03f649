// `adopt` on this machine: holds that it ends, and one that only `release` ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openStore } from '../../../local/store/open-store.ts';
import type { HoldKind } from '../../../shared/guarding/hold.ts';
import { aState } from '../../contract/sample-states.ts';
import { runFeed } from '../cli/run-feed.ts';

let data = '';
afterEach(() => rm(data, { recursive: true }));

/** Runs `adopt` on a source with one hold. @returns what it ended with, and the phase of the hold after it */
async function adopt(kind: HoldKind) {
  data = await mkdtemp(join(tmpdir(), 'adopt-'));
  const store = await openStore(data);
  const mintedIn = await store.states.identity();
  const holds = aState('acme').holds.map((hold) => ({ ...hold, kind }));
  await store.states.save(aState('acme', 1, { mintedIn, holds }), 0);
  await store.close();

  const ended = await runFeed(['adopt', '--hold', '7', '--data', data, '--yes']);

  const after = await openStore(data);
  const state = await after.states.load('acme');
  await after.close();
  return { ...ended, phase: state?.holds[0]?.phase };
}

test.each([
  ['mass_change', 'subscribers keep what was published'],
  ['backfill', 'subscribers get their later changes alone'],
] as const)('a hold of the kind %s is adopted, after a description of the effect', async (kind, effect) => {
  const { code, stdout, phase } = await adopt(kind);

  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(effect);
  expect(stdout).toContain('adopted: hold 7 of source acme. The next tick continues.\n');
  expect(phase).toBe('adopting');
});

test('a hold of removals is not adopted', async () => {
  const { code, stderr, phase } = await adopt('removals');

  expect(code).toBe(2);
  expect(stderr).toContain('can\'t be adopted: only a mass change and backfill can. Use "release".');
  expect(phase).toBe('holding');
});
