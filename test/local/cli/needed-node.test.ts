// Which Node the command accepts, and whether all that names it agrees. test/package/older-node.test.ts runs older ones.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OLDEST_NODE, whyTooOld } from '../../../local/cli/needed-node.js';

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

test.each([
  { node: '24.15.0', sqlite: '3.51.3' },
  { node: '24.22.3', sqlite: '3.54.1' },
  { node: '26.0.0', sqlite: '3.51.3' },
])('Node $node suffices', (versions) => {
  const reason = whyTooOld(versions);

  expect(reason).toBeUndefined();
});

test.each([
  [{ node: '20.20.2' }, '20.20.2 without SQLite'],
  [{ node: '22.23.3', sqlite: '3.53.3' }, '22.23.3 with SQLite 3.53.3'],
  [{ node: '24.9.0', sqlite: '3.53.0' }, '24.9.0 with SQLite 3.53.0'],
  // A release between, or one that uses the SQLite of its machine.
  [{ node: '25.2.0', sqlite: '3.51.0' }, '25.2.0 with SQLite 3.51.0'],
])('%j is too old', (versions, found) => {
  const reason = whyTooOld(versions);

  expect(reason).toBe(`Node 24.15 or later is needed, with SQLite 3.51.3 or later, and this is ${found}.`);
});

test('the app of "init" and the documents name the same release', () => {
  const { engines } = JSON.parse(read('local/new-app/package.json'));
  const documents = ['README.md', 'local/README.md', 'docs/deploying.md'].map(read);

  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  for (const text of documents) expect(text).toContain(`Node ${OLDEST_NODE} or later`);
});
