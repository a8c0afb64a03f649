// `readers` of a deployment; test/local/listener has those of a data directory.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hashToken } from '../../../functions/adapters/token-hash.ts';
import { aKey } from '../../shared/publishing/an-event.ts';
import { openDeployment, type TestDeployment } from './a-deployment.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await openDeployment();
});
afterAll(() => deployment.close());

const run = (...args: string[]) =>
  deployment.runWith({ ...deployment.environment, PULL_URL: 'https://pull.example.com/' }, ...args);
const readers = (...args: string[]) => run('readers', ...args);

test('a reader is added with its filter and a token, of which only the hash is stored', async () => {
  const { stdout, stderr } = await readers('add', 'wms', '--filter', '{"sources":["acme"]}');

  const token = stdout.trim();
  expect(token).toMatch(/^rcf_[\w-]{43}$/);
  expect(stderr).toBe('added: https://pull.example.com/v1/readers/wms. Give its client this token.\n');
  expect(await deployment.readers.load('wms')).toEqual({
    filter: { sources: ['acme'] },
    tokens: [hashToken(token)],
  });
});

test('a reader of whole returns is added and listed with its shape, and its filter may ask for tracking', async () => {
  await readers('add', 'whole', '--shape', 'return', '--filter', '{"hasTracking":true}');
  await readers('add', 'plain');

  const [json, text] = [await readers('list', '--json'), await readers('list')];

  const { readers: known } = JSON.parse(json.stdout) as { readers: { destination: string; shape: string }[] };
  const shapes = Object.fromEntries(known.map(({ destination, shape }) => [destination, shape]));
  expect((await deployment.readers.load('whole'))?.shape).toBe('return');
  expect(shapes).toMatchObject({ whole: 'return', plain: 'event' });
  expect(text.stdout).toMatch(/^whole .* whole returns with a tracking number, at all changes$/m);
  expect(text.stdout).toMatch(/^plain .* all changes$/m);
});

test.each([
  [['--shape', 'parcel'], 'event, return'],
  [['--filter', '{"hasTracking":true}'], 'only for webhooks and readers with the shape "return"'],
])('a reader with %j is refused, and none is added', async (args, problem) => {
  const { code, stderr } = await readers('add', 'refused', ...args);

  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(await deployment.readers.load('refused')).toBeUndefined();
});

test('a rotation keeps the token before valid, until the next', async () => {
  const first = (await readers('add', 'rotated')).stdout.trim();

  const second = (await readers('rotate', 'rotated')).stdout.trim();

  expect((await deployment.readers.load('rotated'))?.tokens).toEqual([second, first].map(hashToken));
});

test('a list says how far each has read, and a removed one is not in it', async () => {
  await readers('add', 'removed');
  await readers('add', 'listed');
  await deployment.write(aKey(1), 1, 2, 3);
  await deployment.relay([aKey(1)], 60_000);
  const lastOffset = `${await deployment.positions.epoch()}_${'1'.padStart(16, '0')}`;
  await deployment.readers.change('listed', (reader) => ({ ...reader, lastOffset, readAt: 1 }));
  await readers('remove', 'removed');

  const { stdout } = await readers('list', '--json');

  const { readers: known } = JSON.parse(stdout) as { readers: { destination: string }[] };
  expect(known.find(({ destination }) => destination === 'listed')).toMatchObject({
    ...{ kind: 'reader', state: 'unread', waiting: 2, lastAskedAt: '1970-01-01T00:00:00.000001Z' },
    ...{ filter: {}, tokens: 1, alarmAfterMs: null },
  });
  expect(known.map(({ destination }) => destination)).not.toContain('removed');
});

test('`status` needs attention for a reader that lags longer than its alarm allows, and for no other', async () => {
  await readers('add', 'nightly');
  await readers('add', 'watched', '--alarm-after', '1h');
  await deployment.write(aKey(3), 1);
  await deployment.relay([aKey(3)], 60_000);
  const lastOffset = `another-table_${'1'.padStart(16, '0')}`;
  for (const name of ['nightly', 'watched'])
    await deployment.readers.change(name, (reader) => ({ ...reader, lastOffset, readAt: 1 }));

  const { code, stdout } = await run('status', '--json');

  const { concerns, destinations } = JSON.parse(stdout) as {
    readonly concerns: readonly { readonly code: string; readonly subject: string }[];
    readonly destinations: readonly { readonly title: string; readonly state: string }[];
  };
  const states = destinations.map(({ title, state }) => `${title} ${state}`);
  expect(code).toBe(3);
  expect(concerns.filter((each) => each.code === 'reader_behind').map(({ subject }) => subject)).toEqual([
    'reader watched',
  ]);
  expect(states).toEqual(expect.arrayContaining(['reader watched behind', 'reader nightly unread']));
});

test('an alarm is refused that would go off between two notes of an offset', async () => {
  const { code, stderr } = await readers('add', 'hasty', '--alarm-after', '1m');

  expect([code, stderr]).toEqual([2, expect.stringContaining('--alarm-after must be at least 5 min')]);
  expect(await deployment.readers.load('hasty')).toBeUndefined();
});

test('a deployment without a pull feed gets no reader', async () => {
  const { code, stderr } = await deployment.run('readers', 'add', 'early');

  expect([code, stderr]).toEqual([2, expect.stringContaining('deploy it with the property `pull`')]);
  expect(await deployment.readers.load('early')).toBeUndefined();
});

test('`redrive` gives the events of a return that stopped their positions', async () => {
  await deployment.marks.noteBehind('pull', aKey(2), { sequence: 1, reason: 'unreadable' });
  await deployment.write(aKey(2), 1);
  const before = await deployment.positions.newest();

  const { stdout } = await run('redrive', '--to', 'pull');

  expect(stdout).toContain('all events are sent');
  expect(await deployment.positions.newest()).toBe(before + 1);
});
