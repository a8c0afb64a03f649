// A feed beside the service that it reads, on one machine: the reference service answers over HTTP.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenFeed } from '../../../local/place/open-feed.ts';
import { withFeed } from '../../../local/place/with-feed.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { type FeedOfOne, startFeedOfOne } from '../feed/feed-of-one.ts';
import { pollingFeed, SOON_MS } from '../feed/polling-feed.ts';

export const TOKEN = 'the-token-of-the-store';
/** An allowed order name with characters that are special in a URL, a query, HTML or a terminal. */
export const HOSTILE = '#10 42&order_id=1?%23+"\'<b>\u001b[2J\u202eé\u{1F600}';
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

export interface SearchedFeed {
  readonly service: ReferenceService;
  readonly feed: FeedOfOne;
  /** Its data directory. */
  readonly data: string;
  /** Runs work on the opened feed, as a command does, without its log. */
  open<Result>(work: (feed: OpenFeed) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Starts the service, and a feed that has read it. */
export async function startSearchedFeed(): Promise<SearchedFeed> {
  const service = await createReferenceService({ groups: 60, token: TOKEN, life: false });
  const data = await mkdtemp(join(tmpdir(), 'find-'));
  const opened = await startFeedOfOne({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: service.url,
      baseline: 'emit',
      requestsPerMinute: 2_000,
      intervalMs: SOON_MS,
    }),
    token: TOKEN,
    dataDir: data,
    log: QUIET,
    onProgress() {},
    onEvent: async () => {},
  });
  const feed = pollingFeed(opened);
  await feed.tick();
  return {
    service,
    feed,
    data,
    open: (work) => withFeed({ data }, (open) => work({ ...open, log: QUIET })),
    async close() {
      await feed.close();
      await service.close();
      await rm(data, { recursive: true });
    },
  };
}

/** A group with a parcel that has a tracking number. */
export function aParcel({ service }: Pick<SearchedFeed, 'service'>) {
  const group = service.control.snapshot().find(({ shipments }) => shipments[0]?.tracking_number != null);
  return {
    group: Number(group?.id),
    shipment: group?.shipments[0],
    order: group?.order as { readonly name: string },
  };
}
