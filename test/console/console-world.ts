// A feed on this machine, and consoles that show it: the reference service, which changes only when a test changes it,
// the feed that polls it when a test says so, a receiver that it forwards to, and the tables behind a proxy that can be
// cut off.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMoments } from '../../local/cli/moments.ts';
import type { Console } from '../../local/console/console-server.ts';
import { openConsole } from '../../local/console/open-console.ts';
import { type LocalFeed, startLocalFeed } from '../../local/feed/local-feed.ts';
import { type OpenFeed, withFeed } from '../../local/operating/open-feed.ts';
import {
  createReferenceService,
  type ReferenceService,
  type ReferenceServiceOptions,
} from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Log } from '../../shared/ports.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../local/forwarding/webhook-receiver.ts';
import { type CutOffWire, startCutOffWire } from './cut-off-wire.ts';

const TOKEN = 'the-token-of-the-store';
const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

export interface ConsoleWorld {
  readonly service: ReferenceService;
  readonly receiver: WebhookReceiver;
  /** All events that were published, in the order of the queue. */
  readonly published: readonly FeedEvent[];
  /** Polls once; what changed is saved then, and delivered soon after. */
  tick(): Promise<void>;
  /** The tables, as the consoles see them. */
  readonly wire: CutOffWire;
  /** The feed that the consoles show. */
  readonly open: OpenFeed;
  openConsole(options?: ConsoleWorldOptions): Promise<Console>;
  close(): Promise<void>;
}

interface ConsoleWorldOptions {
  readonly acts?: boolean;
  /** Undefined: as a person who has not set the token. */
  readonly token?: string | undefined;
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

interface WorldOptions extends ReferenceServiceOptions {
  /** The status that the receiver answers at first. @default 204 */
  readonly received?: number;
}

/** Opens the world after its first poll, which has read everything. */
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
  const engine = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const wire = await startCutOffWire(engine);
  ends.push(wire.close);
  const tick = async () => void (await feed.tick());
  await tick();
  const { open, close } = await holdFeed(dataDir, { wire: wire.url, engine });
  ends.push(close);
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
): Promise<LocalFeed> {
  return startLocalFeed({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: service.url,
      settleMs: 1_000,
      requestsPerMinute: 280,
    }),
    token: TOKEN,
    dataDir,
    log: QUIET,
    onProgress() {},
    onEvent: async (event) => void published.push(event),
    forwarding: { urls: [new URL(receiver.url)], secret: SECRET, filter: {}, onAttempt() {} },
  });
}

interface HeldFeed {
  readonly open: OpenFeed;
  close(): Promise<void>;
}

/** Opens the feed as a command does, over the wire, until it is closed. */
async function holdFeed(
  data: string,
  { wire, engine }: Record<'wire' | 'engine', string>,
): Promise<HeldFeed> {
  const ending = new AbortController();
  const ended = new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = wire;
  try {
    return await new Promise<HeldFeed>((resolve, reject) => {
      const whole = withFeed({ data }, async (open) => {
        // The SDK reads its variables with the first request.
        await open.sources(undefined);
        const close = () => {
          ending.abort();
          return whole;
        };
        resolve({ open, close });
        await ended;
      });
      whole.catch(reject);
    });
  } finally {
    process.env.AWS_ENDPOINT_URL_DYNAMODB = engine;
  }
}
