import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findForwardSecret } from '../../../local/feed/forward-secret.ts';
import { explainGroup, isSkipped } from '../../../local/operating/explain-group.ts';
import { exportGroups } from '../../../local/operating/export-groups.ts';
import { redriveGroups } from '../../../local/operating/redrive-groups.ts';
import { withFeed } from '../../../local/place/with-feed.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { Knobs } from '../../../local/reference-service/knobs.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';
import type { ReturnChanged, WholeReturn } from '../../../shared/contract/return-message.ts';
import type { MessageShape } from '../../../shared/deployment/message-shape.ts';
import type { LogFields } from '../../../shared/ports.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import type { Answer } from '../../../shared/webhooks/webhook-ports.ts';
import { runFeed } from '../cli/run-feed.ts';
import { startFeedOfOne } from './feed-of-one.ts';
import { pollingFeed, SOON_MS } from './polling-feed.ts';
import { firstArrivals, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const TOKEN = 'a-token';
const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

/** Cleanups after a test, latest first. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startService(knobs: Partial<Knobs> = {}) {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false, knobs });
  ends.push(service.close);
  return service;
}

async function startReceiver(port?: number): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(SECRET, port);
  ends.push(receiver.close);
  return receiver;
}

async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'returns-feed-'));
  ends.push(() => rm(directory, { recursive: true }));
  return directory;
}

interface Options {
  readonly dataDir?: string;
  readonly filter?: EventFilter;
  readonly shape?: MessageShape;
}

async function startFeed(baseUrl: string, url: string, { dataDir, filter = {}, shape }: Options = {}) {
  const printed: FeedEvent[] = [];
  const attempts: Answer[] = [];
  const warnings: LogFields[] = [];
  const feed = await startFeedOfOne({
    settings: sourceSettings.parse({ name: 'acme', baseUrl, requestsPerMinute: 280, intervalMs: SOON_MS }),
    token: TOKEN,
    dataDir,
    log: { debug() {}, info() {}, error() {}, warn: (_, fields = {}) => warnings.push(fields) },
    onProgress() {},
    onEvent: async (event) => void printed.push(event),
    receivers: [
      { url: new URL(url), secret: SECRET, filter, shape, contentType: 'application/cloudevents+json' },
    ],
    onAttempt: (_url, _event, answer) => attempts.push(answer),
  });
  ends.push(feed.close);
  return { ...pollingFeed(feed), printed, attempts, warnings };
}

type Service = Awaited<ReturnType<typeof startService>>;

/** Creates returns, each of which makes several events. */
function createReturns({ control }: Service, count: number): void {
  for (let n = 0; n < count; n += 1) control.create();
}

describe('forwarding', () => {
  it('posts every printed event, signed, each return in its order', async () => {
    const [service, receiver] = [await startService(), await startReceiver()];
    const feed = await startFeed(service.url, receiver.url);
    await feed.tick();
    createReturns(service, 8);
    await feed.tick();

    await feed.handOver();

    expect(feed.printed.length).toBeGreaterThan(8);
    expect(receiver.accepted.map(({ id }) => id).sort()).toEqual(feed.printed.map(({ id }) => id).sort());
    expect(receiver.accepted.find(({ id }) => id === feed.printed[0]?.id)).toEqual(feed.printed[0]);
    for (const numbers of firstArrivals(receiver.accepted).values())
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(receiver.unverified).toBe(0);
  });

  it('starts now: events from before the URL was given are not posted', async () => {
    // The events of the first run are then a minute old in the second.
    const service = await startService({ dateSkewSeconds: -60 });
    const dataDir = await aDirectory();
    const other = await startReceiver();
    const first = await startFeed(service.url, other.url, { dataDir });
    await first.tick();
    createReturns(service, 3);
    await first.tick();
    await first.handOver();
    await first.close();
    const receiver = await startReceiver();

    const second = await startFeed(service.url, receiver.url, { dataDir });
    createReturns(service, 1);
    await second.tick();
    await second.handOver();

    expect(other.accepted.length).toBeGreaterThan(2);
    expect([...firstArrivals(receiver.accepted).keys()]).toHaveLength(1);
  });

  it('posts only the selected types', async () => {
    const [service, receiver] = [await startService(), await startReceiver()];
    const filter = { types: ['return_group.created'] } as const;
    const feed = await startFeed(service.url, receiver.url, { filter });
    await feed.tick();
    createReturns(service, 3);
    await feed.tick();

    await feed.handOver();

    const wanted = feed.printed.filter(({ type }) => type === 'return_group.created');
    expect(wanted.length).toBeGreaterThan(2);
    expect(receiver.accepted.map(({ id }) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
  });

  it('delivers the events that a dead receiver missed after a restart, and prints nothing twice', async () => {
    const service = await startService();
    const dataDir = await aDirectory();
    const dead = await startWebhookReceiver(SECRET);
    const port = Number(new URL(dead.url).port);
    const first = await startFeed(service.url, dead.url, { dataDir });
    await first.tick();
    createReturns(service, 2);
    await first.tick();
    await first.handOver();
    await dead.close();
    createReturns(service, 7);
    await first.tick();
    await first.handOver();
    await first.close();

    const receiver = await startReceiver(port);
    const second = await startFeed(service.url, receiver.url, { dataDir });
    createReturns(service, 1);
    await second.tick();
    await second.handOver();

    const published = [...first.printed, ...second.printed].map(({ id }) => id);
    expect(new Set(published).size).toBe(published.length);
    const arrived = [...dead.accepted, ...receiver.accepted];
    expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set(published));
    for (const numbers of firstArrivals(arrived).values())
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(first.warnings.at(-1)).toMatchObject({ returns: 7 });
  });

  it('notes for `webhooks list` and `status` that a receiver gets whole returns', async () => {
    const service = await startService();
    const dataDir = await aDirectory();
    const receiver = await startReceiver();
    const feed = await startFeed(service.url, receiver.url, { dataDir, shape: 'return' });
    await feed.tick();
    await feed.handOver();
    await feed.close();

    const listed = await runFeed(['webhooks', 'list', '--data', dataDir]);
    const status = await runFeed(['status', '--data', dataDir]);

    expect(listed.stdout).toMatch(/\n +gets +whole returns, at all changes\n/);
    expect(status.stdout).toMatch(new RegExp(`\\n${receiver.url}  [a-z ]+; whole returns; `));
  });

  it('gives a receiver of whole returns that was down each changed return once, as it is now', async () => {
    const service = await startService();
    const dataDir = await aDirectory();
    const down = await startWebhookReceiver(SECRET);
    const port = Number(new URL(down.url).port);
    const first = await startFeed(service.url, down.url, { dataDir, shape: 'return' });
    await first.tick();
    createReturns(service, 1);
    await first.tick();
    await first.handOver();
    await down.close();
    const created = [1, 2, 3, 4, 5].map(() => service.control.create().groupId);
    await first.tick();
    for (const quantity of [7, 8, 9]) {
      for (const group of created)
        service.control.mutate(group, (draft) => {
          for (const item of draft.returns) item.quantity = quantity;
        });
      await first.tick();
    }
    await first.handOver();
    await first.close();

    const receiver = await startReceiver(port);
    const second = await startFeed(service.url, receiver.url, { dataDir, shape: 'return' });
    await second.tick();
    await second.handOver();

    const messages = receiver.accepted as unknown as ReturnChanged[];
    const exported = await withFeed({ data: dataDir }, async ({ store, stateOf }) => {
      const rows: WholeReturn[] = [];
      for await (const row of exportGroups(store, await stateOf('acme'))) rows.push(row);
      return rows.filter(({ return_group: { id } }) => created.includes(id));
    });
    expect(first.printed.length).toBeGreaterThan(4 * created.length);
    expect(messages.map(({ data }) => data.return_group.id).sort()).toEqual(created.sort());
    expect(messages.map(({ data }) => data.return)).toEqual(
      messages.map(({ data }) => exported.find(({ return_group: { id } }) => id === data.return_group.id)),
    );
    const quantities = messages.flatMap(({ data }) => data.return?.entities ?? []);
    expect(quantities.filter((entity) => 'shipment_id' in entity && entity.quantity !== 9)).toEqual([]);
    for (const { data } of messages) {
      expect(data).toMatchObject({ is_new: true, sequence: data.changes.length });
      expect(receiver.attempts.filter((id) => id.includes(`_${data.return_group.id}_`))).toHaveLength(1);
    }
  });

  it('ends even if the receiver rejects an event, and counts the remaining events of its return', async () => {
    const [service, receiver] = [await startService(), await startReceiver()];
    const feed = await startFeed(service.url, receiver.url);
    receiver.answer = ({ data }) => (data.sequence === 2 ? 500 : 204);
    await feed.tick();
    createReturns(service, 1);
    await feed.tick();

    await feed.handOver();

    expect([...firstArrivals(receiver.accepted).values()]).toEqual([[1]]);
    expect(feed.warnings.at(-1)).toMatchObject({ events: feed.printed.length - 1, returns: 1 });
    expect(receiver.attempts.some((id) => id.endsWith('_2'))).toBe(true);
  });
});

describe('an operator', () => {
  it.each([
    ['id', 'name'],
    ['URL in status', 'title'],
  ] as const)('skips an event of a running feed, by its %s, and the feed continues', async (_, label) => {
    const [service, receiver] = [await startService(), await startReceiver()];
    const dataDir = await aDirectory();
    receiver.answer = ({ data }) => (data.sequence === 1 ? 400 : 204);
    const feed = await startFeed(service.url, receiver.url, { dataDir });
    await feed.tick();
    createReturns(service, 1);
    await feed.tick();
    await vi.waitFor(() => expect(receiver.attempts.length).toBeGreaterThan(0), 5_000);
    const [first] = feed.printed;
    const group =
      first !== undefined && 'return_group' in first.data ? first.data.return_group.id : undefined;
    const changes = () => feed.printed.filter(({ type }) => !type.startsWith('feed.'));
    const outcomes: string[] = [];

    await vi.waitFor(
      () =>
        withFeed({ data: dataDir }, async (open) => {
          const [webhook] = await open.webhooks();
          const request = { source: 'acme', group, to: webhook?.[label] ?? '', skip: 1 };
          await redriveGroups(open, request, async ({ outcome }) => void outcomes.push(outcome));
          expect(outcomes.at(-1)).toContain('skipped 1');
        }),
      5_000,
    );

    await vi.waitFor(() => expect(receiver.accepted.length).toBe(changes().length - 1), 10_000);
    expect(receiver.accepted[0]?.data.sequence).toBe(2);
    const { events, marks } = await withFeed({ data: dataDir }, async (open) =>
      explainGroup({ ...open, webhooks: await open.webhooks() }, await open.stateOf('acme'), Number(group)),
    );
    const mark = marks.find(({ isWebhook }) => isWebhook);
    expect(events.map(({ sequence }) => mark && isSkipped(mark, sequence))).toEqual(
      events.map(({ sequence }) => sequence === 1),
    );
    expect(feed.printed.filter(({ type }) => type === 'feed.events_skipped')).toMatchObject([
      { data: { object: { return_group_id: group, from_sequence: 1, to_sequence: 1 } } },
    ]);
  });
});

describe('the command', () => {
  it('keeps a new secret, which a command shows, and shows each attempt only on stderr', async () => {
    const service = await createReferenceService({ groups: 10, token: TOKEN, life: { changesPerSecond: 5 } });
    ends.push(service.close);
    const dataDir = await aDirectory();
    const receiver = await startReceiver();
    const args = [
      'watch',
      '--base-url',
      service.url,
      '--every',
      '500ms',
      '--for',
      '4s',
      '--json',
      '--data',
      dataDir,
    ];

    const { code, stdout, stderr } = await runFeed([...args, '--forward-to', receiver.url], { token: TOKEN });

    const shown = await runFeed(['webhooks', 'secret', '--data', dataDir]);
    expect(code).toBe(0);
    expect(stderr).toContain(`npx --no returns-feed webhooks secret --data ${dataDir}`);
    expect(stderr).not.toContain('whsec_');
    expect(shown).toEqual({ code: 0, stdout: `${await findForwardSecret(dataDir)}\n`, stderr: '' });
    expect((await stat(join(dataDir, 'forward-secret'))).mode & 0o777).toBe(0o600);
    expect(stderr).toMatch(/: answered 401, it does not accept the signature\. .*webhooks secret --data/);
    expect(stdout.split('\n').every((line) => line === '' || line.startsWith('{'))).toBe(true);
    expect(receiver.unverified).toBeGreaterThan(0);
    const [first = '{}'] = stdout.split('\n');
    const group = String(JSON.parse(first).data.return_group.id);
    const status = await runFeed(['status', '--data', dataDir]);
    const explained = await runFeed(['explain', 'source', group, '--data', dataDir]);
    expect(status.stdout).toMatch(
      new RegExp(`\\n${receiver.url}  \\w+; .*; last accepted never; answered 401, \\w+`),
    );
    expect(explained.stdout).toMatch(
      new RegExp(`\\n  forwarded +${receiver.url}: sent through 0; behind at 1:`),
    );
  });

  it.each([
    [['--forward-to', 'nonsense'], 'is not a URL'],
    [['--forward-to', 'ftp://127.0.0.1/'], 'must begin with https:// or http://'],
    [['--forward-to', 'http://user:PASSWORD@127.0.0.1/a'], 'has a user name or password'],
    [['--forward-to', 'http://127.0.0.1/a', '--forward-to', 'http://127.0.0.1/a'], 'given twice'],
    [['--forward-to', 'http://127.0.0.1/a', '--forward-secret', 'nowhere.txt'], 'ENOENT'],
    [['--forward-to', 'http://127.0.0.1/a', '--forward-secret', SECRET], 'takes a file'],
    [['--forward-to', 'http://127.0.0.1/a', '--forward-secret', 'LICENSE'], 'signing secret is invalid'],
    [
      ['--forward-to', 'http://127.0.0.1/a', '--forward-secret', '/dev/zero'],
      'too long for a signing secret',
    ],
    [
      ['--forward-to', 'http://127.0.0.1/a', '--forward-only', 'shipment.flew'],
      '--forward-only: filter.types.0',
    ],
    [['--forward-only', 'shipment.created'], 'need --forward-to'],
  ])('rejects %j', async (options, problem) => {
    const args = ['watch', '--base-url', 'https://returns.example.com/api', ...options];

    const { code, stdout, stderr } = await runFeed(args, { token: TOKEN });

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain('PASSWORD');
  });

  it.each(['the file of --forward-secret', 'the environment'])(
    'signs with the secret of %s',
    async (place) => {
      const service = await createReferenceService({
        groups: 10,
        token: TOKEN,
        life: { changesPerSecond: 5 },
      });
      ends.push(service.close);
      const receiver = await startReceiver();
      const file = join(await aDirectory(), 'secret.txt');
      await writeFile(file, `${SECRET}\n`);
      const isFile = place !== 'the environment';
      const args = ['watch', '--base-url', service.url, '--every', '500ms', '--for', '3s', '--json'];

      await runFeed([...args, '--forward-to', receiver.url, ...(isFile ? ['--forward-secret', file] : [])], {
        token: TOKEN,
        environment: isFile ? {} : { RETURNS_FORWARD_SECRET: SECRET },
      });

      expect(receiver.accepted.length).toBeGreaterThan(0);
      expect(receiver.unverified).toBe(0);
    },
  );

  it('reports a damaged secret', async () => {
    const dataDir = await aDirectory();
    await findForwardSecret(dataDir);
    await writeFile(join(dataDir, 'forward-secret'), 'damaged');

    await expect(findForwardSecret(dataDir)).rejects.toThrow('holds no valid secret. Delete it');
  });
});
