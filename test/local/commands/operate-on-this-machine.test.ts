// `forget`, `explain`, `replay` and `redrive` on the data directory of `watch`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { openStore } from '../../../local/store/open-store.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type Ended, runFeed } from '../cli/run-feed.ts';

// Starts one process after the other, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const TOKEN = 'the-token-of-the-store';

let service: ReferenceService;
let directory: string;
let data: string;

beforeAll(async () => {
  service = await createReferenceService({ groups: 12, token: TOKEN, life: false });
  directory = await mkdtemp(join(tmpdir(), 'forget-'));
  data = join(directory, 'state');
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const watch = (...others: string[]) =>
  runFeed(
    [
      ...['watch', '--base-url', service.url, '--source', 'acme', '--data', data, '--json'],
      ...['--every', '500ms', '--settle', '1s', '--baseline', 'emit', '--reconcile', '2s', ...others],
    ],
    { token: TOKEN },
  );

function eventsOf({ stdout }: Ended, group: number): FeedEvent[] {
  const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as FeedEvent]));
  return events.filter(({ partitionkey }) => partitionkey === `acme/${group}`);
}

/** All entries of a group in the ledger and the snapshots. */
async function storedOf(generation: string, group: number) {
  const { snapshots, ledger, close } = await openStore(data);
  const key = { source: 'acme', generation, group };
  const stored = {
    snapshot: (await snapshots.load(key, [group])).get(group),
    events: await ledger.read(key, 0, 1_000),
  };
  await close();
  return stored;
}

test('a group is forgotten except for its number, and continues from it if the service still shows it', async () => {
  // Walks over recent groups begin every two seconds, over older ones every twelve hours.
  const newest = service.control.snapshot().toSorted((a, b) => Number(b.id) - Number(a.id))[0];
  const group = Number(newest?.id);
  const before = eventsOf(await watch('--for', '3s'), group);
  const generation = before[0]?.data.generation ?? '';

  const refused = await runFeed(['forget', 'acme', String(group), '--data', data], { token: TOKEN });
  const forgotten = await runFeed(['forget', 'acme', String(group), '--data', data, '--yes'], {
    token: TOKEN,
  });
  const { snapshot, events } = await storedOf(generation, group);
  const again = await runFeed(['forget', 'acme', String(group), '--data', data, '--yes'], { token: TOKEN });
  const back = eventsOf(await watch('--for', '7s'), group);

  const last = before.length;
  expect(last).toBeGreaterThan(1);
  expect(refused).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(/^error: The service still shows the return, .* add --yes to confirm\.\n$/),
  });
  expect(forgotten).toMatchObject({ code: 0, stderr: expect.stringMatching(/^The service still shows/) });
  expect(forgotten.stdout).toContain(`${last} events erased; number ${last + 1} tells subscribers`);
  expect(events).toMatchObject([{ sequence: last + 1, event: { type: 'return_group.forgotten' } }]);
  expect(snapshot).toMatchObject({ sequence: last + 1, projection: { group: { order: { name: null } } } });
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('0 events erased') });
  expect(back[0]).toMatchObject({ type: 'return_group.forgotten', data: { sequence: last + 1 } });
  expect(back[1]).toMatchObject({ type: 'return_group.created', data: { sequence: last + 2 } });
});

test.each([
  ['an unknown source', ['nope', '1'], 1],
  ['a group that is not a number', ['acme', 'all'], 2],
  ['no group', ['acme'], 2],
])('an impossible request is reported in one line: %s', async (_, args, code) => {
  const ended = await runFeed(['forget', ...args, '--data', data]);

  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
});

test('a return group may have the id 0', async () => {
  const [forgotten, redriven] = await Promise.all(
    ['forget', 'redrive'].map((command) => runFeed([command, 'acme', '0', '--data', data, '--yes'])),
  );

  expect(forgotten).toEqual({
    ...{ code: 0, stderr: expect.stringContaining("Set the service's token") },
    stdout: 'nothing is stored for return group 0 of source acme\n',
  });
  expect(redriven?.stderr).toBe('');
});

test('events are printed again as a replay, a group is explained, and nothing needs to be redriven', async () => {
  const group = Number(service.control.snapshot()[5]?.id);

  const replayed = await runFeed(['replay', 'acme', '--group', String(group), '--data', data]);
  const explained = await runFeed(['explain', 'acme', String(group), '--data', data]);
  const redriven = await runFeed(['redrive', '--data', data]);

  const events = eventsOf(replayed, group);
  const [, id] = /^replay (\w+): /.exec(replayed.stderr) ?? [];
  expect(replayed.code).toBe(0);
  expect(events.map(({ data: { sequence } }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.every(({ replayid }) => replayid === id)).toBe(true);
  expect(explained).toMatchObject({ code: 0, stderr: '' });
  expect(explained.stdout).toMatch(new RegExp(` {2}handed over +sent through ${events.length}\n`));
  expect(redriven).toEqual({ code: 0, stdout: 'nothing is behind\n', stderr: '' });
});

test('an event that stops the output of watch is skipped, and watch continues with the next one', async () => {
  const group = Number(service.control.snapshot()[4]?.id);
  const watched = await watch('--for', '2s');
  const db = new DatabaseSync(join(data, 'feed.db'), { timeout: 5_000 });
  db.prepare("UPDATE ledger SET body = x'00' WHERE grp = ? AND sequence = 1").run(group);
  db.prepare('UPDATE marks SET sequence = 0 WHERE grp = ?').run(group);
  db.close();
  const stopped = await watch('--for', '2s');
  const store = await openStore(data);
  await store.forwards.replace([{ id: 'forward-1', address: 'http://127.0.0.1:9/hook', filter: {} }]);
  await store.close();

  const other = await runFeed(['redrive', 'acme', String(group), '--skip', '2', '--yes', '--data', data]);
  const skipped = await runFeed(['redrive', 'acme', String(group), '--skip', '1', '--yes', '--data', data]);
  const after = await watch('--for', '2s');

  expect([watched.code, eventsOf(stopped, group)]).toEqual([0, []]);
  expect(other).toMatchObject({ code: 3, stdout: expect.stringContaining('it is stuck at 1, not at 2') });
  // The URL is not stuck, so it asks for nothing; what was done is no error.
  expect(skipped).toEqual({
    ...{ code: 0, stderr: '' },
    stdout:
      `the output of watch: acme ${group}: skipped 1; its sender tries again\n` +
      `http://127.0.0.1:9/hook: acme ${group}: nothing is skipped: no event of it is noted as failing\n`,
  });
  const numbers = eventsOf(after, group).map((event) => event.data.sequence);
  expect(numbers).toEqual(numbers.map((_, index) => index + 2));
  expect(numbers.length).toBeGreaterThan(0);
});

test('the exported state has the sequence number of the last event of each group', async () => {
  const { code, stdout, stderr } = await runFeed(['export', 'acme', '--data', data]);
  const replayed = await runFeed(['replay', 'acme', '--data', data]);

  const returns = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'exported: 12 returns of acme\n' });
  expect(returns).toHaveLength(12);
  for (const { return_group: group, sequence } of returns) {
    const events = eventsOf(replayed, group.id);
    expect(events.at(-1)?.data.sequence).toBe(sequence);
  }
});
