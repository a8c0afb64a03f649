// A feed on this machine, and consoles that show it: the reference service, a receiver that the feed forwards to, and
// stores that can be cut off. The service changes, and the feed polls, only when a test requests it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createMoments } from '../../local/cli/moments.ts';
import type { Console } from '../../local/console/console-server.ts';
import { openConsole } from '../../local/console/open-console.ts';
import { openDirectory } from '../../local/place/open-directory.ts';
import type { OpenFeed } from '../../local/place/open-feed.ts';
import {
  createReferenceService,
  type ReferenceService,
  type ReferenceServiceOptions,
} from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Log } from '../../shared/ports.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { type FeedOfOne, startFeedOfOne } from '../local/feed/feed-of-one.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../local/feed/webhook-receiver.ts';
import { type CutOffFeed, cutOff } from './cut-off-feed.ts';

const TOKEN = 'the-token-of-the-store';
const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

export interface ConsoleWorld {
  readonly service: ReferenceService;
  readonly receiver: WebhookReceiver;
  /** All published events, in their order. */
  readonly published: readonly FeedEvent[];
  /** Polls once, as soon as polls are due, and saves the changes. They are delivered soon after. */
  tick(): Promise<void>;
  /** Cuts the consoles off from the stores. */
  readonly wire: CutOffFeed['wire'];
  /** The feed that the consoles show. */
  readonly open: OpenFeed;
  openConsole(options?: ConsoleWorldOptions): Promise<Console>;
  close(): Promise<void>;
}

interface ConsoleWorldOptions {
  readonly acts?: boolean;
  /** The service's token; undefined for a person who has not set it. */
  readonly token?: string | undefined;
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

interface WorldOptions extends ReferenceServiceOptions {
  /** The status of the receiver's first responses. @default 204 */
  readonly received?: number;
}

/** Opens the world and polls once, which reads everything. */
export async function openConsoleWorld(options: WorldOptions = {}): Promise<ConsoleWorld> {
  const ends: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await buildWorld(options, ends)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Ends = (() => Promise<unknown>)[];

async function buildWorld(
  { received = 204, ...options }: WorldOptions,
  ends: Ends,
): Promise<Omit<ConsoleWorld, 'close'>> {
  const service = await createReferenceService({ groups: 30, token: TOKEN, life: false, ...options });
  ends.push(service.close);
  const receiver = await startWebhookReceiver(SECRET);
  receiver.answer = () => received;
  ends.push(receiver.close);
  const dataDir = await mkdtemp(join(tmpdir(), 'console-'));
  ends.push(() => rm(dataDir, { recursive: true }));
  const published: FeedEvent[] = [];
  const feed = await startFeed(service, receiver, dataDir, published);
  ends.push(feed.close);
  const tick = async () => {
    for (;;) {
      const { polls, pollsAt } = await feed.tick();
      if (polls > 0) return;
      await setTimeout(Math.max(0, pollsAt / MILLISECOND - Date.now()));
    }
  };
  await tick();
  const { feed: open, wire } = cutOff(await openDirectory(dataDir));
  ends.push(open.close);
  return {
    service,
    receiver,
    published,
    tick,
    wire,
    open,
    async openConsole({ acts = false, ...others } = {}) {
      const moments = createMoments({ zone: 'UTC', now: Date.now });
      const token = 'token' in others ? others.token : TOKEN;
      const access = { environment: { RETURNS_API_TOKEN: token } };
      const console = await openConsole({ ...open, moments, acts, access }, 0);
      ends.push(console.close);
      return console;
    },
  };
}

function startFeed(
  service: ReferenceService,
  receiver: WebhookReceiver,
  dataDir: string,
  published: FeedEvent[],
): Promise<FeedOfOne> {
  return startFeedOfOne({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: service.url,
      // A tick that waits for polls within half a second lasts as long as it may.
      intervalMs: 1_000,
      settleMs: 1_000,
      // Polls find what tests change.
      reconcileMs: 600_000,
      // Searches have a twentieth of it, and many tests search.
      requestsPerMinute: 6_000,
    }),
    token: TOKEN,
    dataDir,
    log: QUIET,
    onProgress() {},
    onEvent: async (event) => void published.push(event),
    receivers: [{ url: new URL(receiver.url), secret: SECRET, filter: {}, contentType: undefined }],
  });
}
