// G7 for the whole feed: its events, files, logs and errors contain no personal data of the service and no
// token.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { LogFields } from '../../../shared/ports.ts';
import type { TickReport } from '../../../shared/reporting/tick-report.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { createSourceWorld } from '../../shared/source-world.ts';
import { runFeed } from '../cli/run-feed.ts';
import { startFeedOfOne } from './feed-of-one.ts';
import { FAILURES, MARK, startTaintedService, TOKEN, taintedPage } from './tainted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The full text of a value: for an error with its stack, its causes and its properties. */
function seen(value: unknown): string {
  return inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    maxArrayLength: null,
    maxStringLength: null,
    showHidden: true,
  });
}

function leaks(text: string, mark = MARK): string[] {
  const pattern = new RegExp(`.{0,80}${mark}.{0,20}`, 'gis');
  return [...new Set(text.match(pattern) ?? [])].slice(0, 5);
}

async function readFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  const contents = await Promise.all(
    files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
  );
  return contents.join('\n').replaceAll('\0', '');
}

interface Trail {
  readonly events: FeedEvent[];
  readonly reports: TickReport[];
  readonly logged: string;
  readonly files: string;
}

/** Runs the feed like `watch`, through every failure once, and returns everything that it writes. */
async function leaveTrail(
  change: (body: string) => string,
  failures: readonly Answer[],
  groups?: number,
): Promise<Trail> {
  const service = await startTaintedService(change, groups);
  ends.push(service.close);
  const directory = await mkdtemp(join(tmpdir(), 'privacy-'));
  ends.push(() => rm(directory, { recursive: true }));
  const events: FeedEvent[] = [];
  const reports: TickReport[] = [];
  const logged: string[] = [];
  const note = (message: string, fields?: LogFields) => void logged.push(message, seen(fields));
  const feed = await startFeedOfOne({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: service.url,
      baseline: 'emit',
      requestTimeoutMs: 300,
      requestsPerMinute: 6_000,
    }),
    token: TOKEN,
    dataDir: directory,
    log: { debug: note, info: note, warn: note, error: note },
    onProgress: (report) => void reports.push(report),
    onEvent: async (event) => void events.push(event),
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await feed.close();
    isOpen = false;
  };
  ends.push(close);
  reports.push(await feed.tick());
  for (const failure of failures) {
    service.failNext(failure);
    const group = service.control.snapshot().find(({ id }) => Number(id) % 4 === 2);
    service.control.mutate(Number(group?.id), (draft) => {
      for (const item of draft.returns) item.quantity += 1;
    });
    reports.push(await feed.tick());
  }
  await feed.handOver();
  await close();
  return { events, reports, logged: logged.join('\n'), files: await readFiles(directory) };
}

/** One failure of each kind over the real wire. */
const OVER_THE_WIRE = [
  '500 with JSON',
  'a web page',
  'half an answer',
  'a broken encoding',
  'a reset',
  'an answer cut off',
  'silence',
  '422',
  'a redirect',
  '401',
].flatMap((name) => FAILURES[name] ?? []);

describe('the output of the feed', () => {
  it('contains no personal data and no token, for any answer of the service', async () => {
    const { events, reports, logged, files } = await leaveTrail(taintedPage, OVER_THE_WIRE);

    expect(events.length).toBeGreaterThan(100);
    // Each failure is tried again in its tick.
    expect(reports.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(Math.max(...reports.map(({ counts }) => counts.unreadable))).toBeGreaterThan(5);
    expect(leaks(JSON.stringify(events))).toEqual([]);
    expect(leaks(seen(reports))).toEqual([]);
    expect(leaks(logged)).toEqual([]);
    expect(leaks(files)).toEqual([]);
  });

  it('is searched in the right places: publishable texts are found in events and files', async () => {
    const allowed = 'WvAllowedText';
    const { events, files } = await leaveTrail(
      (body) => body.replaceAll(/"(sku|carrier)":("[^"]*"|null)/g, `"$1":"${allowed}"`),
      [],
      8,
    );

    expect(leaks(JSON.stringify(events), allowed)).not.toEqual([]);
    expect(leaks(files, allowed)).not.toEqual([]);
  });
});

describe('a service that keeps failing', () => {
  it.each(Object.entries(FAILURES))(
    'is reported without its message and the token: %s',
    async (_, failure) => {
      const world = createSourceWorld({ token: TOKEN, groups: 8 });
      const [before, cold] = [world.startProcess('a'), world.startProcess('b')];
      world.network.intercept = (request) => {
        const answer = world.reference.service.answer(request);
        return answer.status === 200 ? { ...answer, body: taintedPage(answer.body) } : answer;
      };
      const reports = [await world.tick(before)];
      world.network.intercept = () => failure;

      for (let minute = 0; minute < 7; minute += 1) reports.push(await world.nextTick(before));
      reports.push(await world.nextTick(cold));

      expect(reports.some(({ error }) => error !== undefined)).toBe(true);
      expect((await world.state()).health.degradedSince).toBeDefined();
      expect(leaks(seen(reports))).toEqual([]);
      expect(leaks(seen(world.logged))).toEqual([]);
      expect(leaks(seen(await world.events()))).toEqual([]);
      expect(leaks(seen(await world.state()))).toEqual([]);
    },
  );

  it('is reported without its message before the source has a state', async () => {
    const trail: unknown[] = [];

    for (const failure of Object.values(FAILURES)) {
      const world = createSourceWorld({ token: TOKEN, groups: 8 });
      world.network.intercept = () => failure;
      trail.push(await world.tick(world.startProcess('a')), world.logged);
    }

    expect(leaks(seen(trail))).toEqual([]);
  });
});

describe.concurrent('the command', () => {
  const watch = (url: string, ...others: string[]) =>
    runFeed(['watch', '--base-url', url, '--verbose', '--baseline', 'emit', ...others], { token: TOKEN });

  it('shows no personal data and no token during a watch', async () => {
    const service = await startTaintedService();
    service.failNext(FAILURES['500 with JSON'] ?? jsonAnswer(500, {}));

    const { code, stdout, stderr } = await watch(service.url, '--every', '500ms', '--for', '3s', '--json');
    await service.close();

    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(100);
    expect(leaks(stdout + stderr)).toEqual([]);
  });

  it.each(['401', 'a redirect'])(
    'ends, and prints no personal data and no token, if every answer is %s',
    async (name) => {
      const service = await startTaintedService();
      service.failOn(FAILURES[name]);

      const { code, stdout, stderr } = await watch(service.url, '--for', '2s');
      await service.close();

      expect(stderr).not.toBe('');
      expect(code).toBeGreaterThanOrEqual(0);
      expect(leaks(stdout + stderr)).toEqual([]);
    },
  );
});
