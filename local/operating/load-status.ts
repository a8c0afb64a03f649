// Loads what `status` shows: the sources' states and the webhooks. A bounded number of reads, however many groups.
import { MILLISECOND } from '../../shared/instant.ts';
import { listWebhookStates } from './list-webhook-states.ts';
import type { OpenFeed } from './open-feed.ts';
import type { Attempt } from './problems.ts';
import { describeSource } from './source-status.ts';
import type { WebhookStatus } from './webhook-status.ts';

export type LoadedSource = Awaited<ReturnType<typeof loadSources>>[number];

/**
 * @param now milliseconds since the epoch
 * @param asked only this source
 * @param attempt loads what may be unknown
 */
export async function loadSources(
  feed: OpenFeed,
  now: number,
  asked: string | undefined,
  attempt: Attempt = (_, load, otherwise) => load().catch(() => otherwise),
) {
  const { flags, deployment } = feed;
  const loaded = await Promise.all((await feed.sources(asked)).map((name) => feed.states.load(name)));
  // Without permission to describe the tables, the rest of the status is still available.
  const place = await attempt('Whether the tables were restored', () => feed.states.identity(), undefined);
  const known = {
    ...{ now: now * MILLISECOND, flags, place },
    isLocal: deployment === undefined,
    poller: await feed.poller(),
  };
  return loaded
    .filter((state) => state !== undefined)
    .map((state) => ({ state, status: describeSource(state, known) }));
}

/** @param now milliseconds since the epoch. @throws the stores' errors */
export function loadWebhooks(feed: OpenFeed, now: number): Promise<WebhookStatus[]> {
  return listWebhookStates(feed, now * MILLISECOND);
}
