// docs/arrivals.md: the smallest programs that print the items of delivered parcels. Each gets the recorded events from the
// feed's own sender. Slow: it generates the types and compiles, and the first run downloads the tools.
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { createWebhookPost } from '../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { matchesFilter } from '../../shared/contract/event-filter.ts';
import { OTHER_SECRET, SECRET } from '../functions/subscriber-kit/signed-requests.ts';
import {
  folderOf,
  generateGo,
  generateJava,
  generatePython,
  need,
  run,
  Unavailable,
} from '../generated-types/generate.ts';
import { recordedLines } from '../shared/contract/committed-contracts.ts';
import { type CommandFor, ofTypeScript, type RunningReceiver, startReceiver } from './run-receiver.ts';

const FOLDER = fileURLToPath(new URL('../../docs/examples/arrivals/', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/arrivals.md', import.meta.url), 'utf8');
const MAKE_TIMEOUT = 600_000;

const RECORDED: readonly FeedEvent[] = recordedLines().map((line) => JSON.parse(line));
/** The filter of the page. */
const DELIVERED = RECORDED.filter((event) =>
  matchesFilter({ entities: ['shipment'], to: ['DELIVERED'] }, event),
);

test.each(readdirSync(FOLDER))(
  'docs/arrivals.md shows docs/examples/arrivals/%s, in 45 lines at most',
  (file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');

    expect(PAGE).toContain(`](examples/arrivals/${file})`);
    expect(PAGE).toContain(`\n${text}\`\`\``);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(45);
  },
);

describe.each([
  ['TypeScript', ofTypeScript('arrivals.ts', FOLDER)],
  ['Python', ofPython],
  ['Java', ofJava],
  ['Go', ofGo],
])('the program in %s', (_language, prepare) => {
  let receiver: RunningReceiver | undefined;
  let missing: string | undefined;

  beforeAll(async () => {
    const prepared = await prepareOrSkip(prepare);
    if (typeof prepared === 'string') missing = prepared;
    else receiver = await startReceiver(prepared, { WEBHOOK_SECRET: SECRET });
  }, MAKE_TIMEOUT);
  afterAll(() => receiver?.stop());
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });

  async function postAll(events: readonly FeedEvent[], secret = SECRET): Promise<number[]> {
    const post = createWebhookPost({
      url: new URL(receiver?.url ?? ''),
      keys: async () => [parseSigningSecret(secret)],
      addresses: 'any',
      timeoutMs: 10_000,
    });
    const statuses: number[] = [];
    for (const event of events) {
      const answer = await post({ id: event.id, body: JSON.stringify(event) });
      statuses.push('status' in answer ? answer.status : 0);
    }
    post.close();
    return statuses;
  }

  it('prints nothing of events whose signature is wrong', async () => {
    expect(new Set(await postAll(DELIVERED, OTHER_SECRET))).toEqual(new Set([401]));
    expect(printed(receiver)).toEqual([]);
  });

  it('accepts a test of the endpoint', async () => {
    const [event] = DELIVERED as [FeedEvent];
    const object = { type: 'endpoint_test', webhook: 'Arrivals' };
    const endpointTest = { ...event, id: 'test_mi8x2k_feed_1', type: 'feed.endpoint_test', data: { object } };

    const [status = 0] = await postAll([endpointTest as unknown as FeedEvent]);

    expect(Math.floor(status / 100)).toBe(2);
  });

  it('prints how many of which SKU are in each delivered parcel of the recorded events', async () => {
    const statuses = await postAll(DELIVERED);

    expect(statuses.every((status) => status >= 200 && status < 300)).toBe(true);
    await expect
      .poll(() => printed(receiver))
      .toEqual([
        { sku: 'LSH-OLI-S', quantity: 1 },
        { sku: 'TRN-RUS-M', quantity: 1 },
      ]);
  });

  it('prints nothing of a parcel that is delivered again, or has moved to another return', async () => {
    const [event] = DELIVERED as [FeedEvent];
    const before = printed(receiver).length;
    const again = { ...event, id: 'acme_mi8x2k_100104_99' };
    const moved = {
      ...event,
      id: 'acme_mi8x2k_100105_1',
      subject: event.subject.replace('100104', '100105'),
    };
    const ofOther = { ...event, id: 'berta_mi8x2k_1_1', source: '/sources/berta' };

    await postAll([event, again, moved] as FeedEvent[]);
    await postAll([ofOther] as FeedEvent[]);

    await expect.poll(() => printed(receiver)).toHaveLength(before + 2);
  });
});

function printed(receiver: RunningReceiver | undefined) {
  const lines = (receiver?.output() ?? '').split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => {
    const { sku, quantity } = JSON.parse(line);
    return { sku, quantity };
  });
}

async function prepareOrSkip(prepare: () => Promise<CommandFor | string>): Promise<CommandFor | string> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof Unavailable) return error.message;
    throw error;
  }
}

/** The words of a command on the page, beginning with this one. */
function wordsOnPage(first: string): string[] {
  const line = PAGE.split('\n').find((it) => it.includes(` ${first}`)) ?? '';
  return line.slice(line.indexOf(first)).split(' ');
}

async function ofPython(): Promise<CommandFor> {
  const folder = folderOf('arrivals-python');
  const environment = join(folder, '..', 'arrivals-venv');
  generatePython(environment, folder, wordsOnPage('fastapi=='));
  copyFileSync(join(FOLDER, 'arrivals.py'), join(folder, 'arrivals.py'));
  const uvicorn = [join(environment, 'bin', 'uvicorn'), 'arrivals:app', '--app-dir', folder];
  return (port) => [...uvicorn, '--port', String(port)];
}

async function ofJava(): Promise<CommandFor> {
  const folder = folderOf('arrivals-java');
  generateJava(folder, [/com\.standardwebhooks:standardwebhooks:[\d.]+/.exec(PAGE)?.[0] ?? '']);
  const files = [join(FOLDER, 'Arrivals.java'), join('events', 'Converter.java')];
  run('javac', ['-cp', '.:jars/*', '-d', 'classes', ...files], folder);
  return () => ['java', '-cp', `${folder}/classes:${folder}/jars/*`, 'Arrivals'];
}

async function ofGo(): Promise<CommandFor> {
  const folder = folderOf('arrivals-go');
  generateGo(folder);
  copyFileSync(join(FOLDER, 'arrivals.go'), join(folder, 'arrivals.go'));
  need('go', ['mod', 'init', 'arrivals'], folder);
  need('go', ['get', ...wordsOnPage('github.com/')], folder);
  run('go', ['build', '-o', 'arrivals', '.'], folder);
  return () => [join(folder, 'arrivals')];
}
