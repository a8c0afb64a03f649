// One `watch` with several sources: each is read on its own, and the sources may change meanwhile.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { tokenInEnvironment } from '../../../local/cli/service-options.ts';
import { runWatch } from '../../../local/feed/run-watch.ts';
import type { WatchedSource, WatchPlan } from '../../../local/feed/watch-plan.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { parseEventId } from '../../../shared/contract/event-id.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { runFeed } from '../cli/run-feed.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const TOKEN = 'a-token';
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function startService(): Promise<string> {
  const service = await createReferenceService({ groups: 10, token: TOKEN, life: false });
  ends.push(service.close);
  return service.url;
}

async function aDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'watch-sources-'));
  ends.push(() => rm(directory, { recursive: true }));
  return directory;
}

function source(name: string, baseUrl: string, token = TOKEN): WatchedSource {
  const settings = { name, baseUrl, intervalMs: 1_000, baseline: 'emit', sourceRead: false };
  return { settings: sourceSettings.parse(settings), secret: tokenInEnvironment(token), given: [] };
}

const sourcesOf = (events: readonly FeedEvent[]) =>
  [...new Set(events.map(({ id }) => parseEventId(id)?.source))].sort();

/**
 * Watches each plan until all of its sources that can be read have shown all returns, then the next one.
 *
 * @returns the events of each plan
 */
async function watchEach(
  plans: readonly (WatchPlan & { readonly readable: readonly string[] })[],
  dataDir?: string,
) {
  const [first, ...others] = plans;
  const events: FeedEvent[][] = plans.map(() => []);
  const errors: string[] = [];
  const stopping = new AbortController();
  let [turn, done] = [0, () => {}];
  const isDone = (at: number) => {
    const shown = events.slice(0, at + 1).flat();
    return plans[at]?.readable.every((name) => {
      const groups = shown
        .filter(({ id }) => parseEventId(id)?.source === name)
        .map(({ partitionkey }) => partitionkey);
      return new Set(groups).size === 10;
    });
  };
  await runWatch({
    ...{ dataDir, forMs: undefined, signal: stopping.signal, log: QUIET, onAttempt() {} },
    plan: first ?? { sources: [], receivers: [] },
    async *changes(signal) {
      for (const plan of [...others, undefined]) {
        if (!isDone(turn) && !signal.aborted) await new Promise<void>((resolve) => (done = resolve));
        turn += 1;
        if (plan !== undefined) yield plan;
      }
      stopping.abort();
    },
    reporting: ({ name }) => ({
      log: {
        ...QUIET,
        warn: (text) => errors.push(`${name}: ${text}`),
        error: (text) => errors.push(`${name}: ${text}`),
      },
      onReport() {},
    }),
    async onEvent(event) {
      events[turn]?.push(event);
      if (isDone(turn)) done();
    },
  });
  return { events, errors };
}

test('a source that refuses its token or never answers does not keep others from being read', async () => {
  const [good, hanging] = [await startService(), createServer(() => {})];
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  ends.push(async () => {
    hanging.closeAllConnections();
    hanging.close();
  });
  const frozen = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const sources = [source('acme', good), source('refused', good, 'wrong'), source('frozen', frozen)];

  const { events, errors } = await watchEach([{ sources, receivers: [], readable: ['acme'] }]);

  expect(sourcesOf(events.flat())).toEqual(['acme']);
  expect(errors.some((text) => text.startsWith('refused: '))).toBe(true);
});

test('a plan that changes adds and removes sources, and `status` calls a removed one removed', async () => {
  const [first, second] = [await startService(), await startService()];
  const dataDir = await aDirectory();
  const [acme, globex] = [source('acme', first), source('globex', second)];

  const { events } = await watchEach(
    [
      { sources: [acme], receivers: [], readable: ['acme'] },
      { sources: [globex], receivers: [], readable: ['globex'] },
    ],
    dataDir,
  );
  const { stdout } = await runFeed(['status', '--data', dataDir, '--json'], { token: TOKEN });

  const verdicts = JSON.parse(stdout).sources.map((each: { source: string; verdict: string }) => [
    each.source,
    each.verdict,
  ]);
  expect(sourcesOf(events[0] ?? [])).toEqual(['acme']);
  expect(sourcesOf(events[1] ?? [])).toContain('globex');
  expect(verdicts).toEqual([
    ['acme', 'removed'],
    ['globex', 'stopped'],
  ]);
});

test('a source that comes back goes on with its numbers', async () => {
  const url = await startService();
  const dataDir = await aDirectory();
  const [acme, globex] = [source('acme', url), source('globex', url)];
  const readable = ['acme', 'globex'];

  const { events } = await watchEach(
    [
      { sources: [acme], receivers: [], readable: ['acme'] },
      { sources: [globex], receivers: [], readable },
      { sources: [acme, globex], receivers: [], readable },
    ],
    dataDir,
  );

  const ids = events.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(sourcesOf(events.flat())).toEqual(['acme', 'globex']);
});

test('a receiver gets the events of its sources, also one that comes later', async () => {
  const url = await startService();
  const receivers = [await startWebhookReceiver(SECRET), await startWebhookReceiver(SECRET)];
  for (const receiver of receivers) ends.push(receiver.close);
  const [ofAcme, later] = receivers.map(({ url }, index) => ({
    ...{ url: new URL(url), secret: SECRET, contentType: undefined },
    filter: index === 0 ? { sources: ['acme'] } : {},
  }));
  const [acme, globex] = [source('acme', url), source('globex', url)];
  if (ofAcme === undefined || later === undefined) throw new Error('two receivers were started');

  await watchEach([
    { sources: [acme, globex], receivers: [ofAcme], readable: ['acme', 'globex'] },
    { sources: [acme, globex, source('initech', url)], receivers: [ofAcme, later], readable: ['initech'] },
  ]);

  expect(receivers.map(({ accepted }) => sourcesOf(accepted))).toEqual([['acme'], ['initech']]);
});
