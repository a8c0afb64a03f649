// Searches in a directory with several sources: the token of the environment belongs to one of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findReturns, type SearchProblem } from '../../../local/operating/find-returns.ts';
import { askService } from '../../../local/place/ask-service.ts';
import { withFeed } from '../../../local/place/with-feed.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { runFeed } from '../cli/run-feed.ts';
import { startFeedOfOne } from '../feed/feed-of-one.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const TOKENS = { acme: 'the-token-of-acme', globex: 'the-token-of-globex' };
const environment = { RETURNS_API_TOKEN: TOKENS.acme };

let data: string;
let acme: ReferenceService;
let globex: ReferenceService;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'sources-'));
  [acme, globex] = [await serve('acme'), await serve('globex')];
});
afterAll(async () => {
  await Promise.all([acme.close(), globex.close()]);
  await rm(data, { recursive: true });
});

/** Starts a service on a port of its own, and reads it once into the directory. */
async function serve(name: keyof typeof TOKENS): Promise<ReferenceService> {
  const service = await createReferenceService({ groups: 10, token: TOKENS[name], life: false });
  const feed = await startFeedOfOne({
    settings: sourceSettings.parse({ name, baseUrl: service.url }),
    token: TOKENS[name],
    dataDir: data,
    log: QUIET,
    onProgress() {},
    onEvent: async () => {},
  });
  await feed.tick();
  await feed.close();
  return service;
}

/** The number of requests that each service gets during the work. */
async function requestsDuring(work: () => Promise<unknown>): Promise<{ acme: number; globex: number }> {
  const [toAcme, toGlobex] = [acme, globex].map(({ control }) => control.requests().length);
  await work();
  return {
    acme: acme.control.requests().length - Number(toAcme),
    globex: globex.control.requests().length - Number(toGlobex),
  };
}

test('a search sends the token only to the address that it was seen with', async () => {
  const problems: SearchProblem[] = [];

  const requests = await requestsDuring(() =>
    withFeed({ data }, (open) =>
      findReturns({ ...open, log: QUIET }, 'no such order', {
        as: ['order_name'],
        environment,
        onProblem: (problem) => problems.push(problem),
      }),
    ),
  );

  expect(requests).toEqual({ acme: 1, globex: 0 });
  expect(problems).toMatchObject([
    { source: 'globex', message: expect.stringContaining('it was not sent there') },
  ]);
});

test('so does a question for the present state of a return', async () => {
  const group = Number(globex.control.snapshot()[0]?.id);

  const requests = await requestsDuring(() =>
    expect(
      withFeed({ data }, (open) => askService({ ...open, log: QUIET }, 'globex', group, { environment })),
    ).rejects.toThrow('it was not sent there'),
  );

  expect(requests).toEqual({ acme: 0, globex: 0 });
});

test('so does `explain`', async () => {
  const requests = await requestsDuring(() =>
    runFeed(['explain', '--order', 'no such order', '--data', data], { token: TOKENS.acme }),
  );

  expect(requests).toEqual({ acme: 1, globex: 0 });
});
