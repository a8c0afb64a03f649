// What the overview shows. It costs a bounded number of reads, however many groups there are: the sources' states, their
// activities, and of each destination the marks of the groups that changed last.
import { readMarks } from '../../functions/adapters/dynamodb-mark-batch.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import { type DestinationLabels, markOf } from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { Activity } from '../../shared/reporting/activity.ts';
import { type BehindGroups, findBehind } from '../operating/find-behind.ts';
import { listSubscribers, type SubscriberStatus } from '../operating/list-subscribers.ts';
import { listWebhookStates } from '../operating/list-webhook-states.ts';
import { type LoadedSource, loadSources } from '../operating/load-status.ts';
import { listWebhooks } from '../operating/webhook-records.ts';
import type { WebhookStatus } from '../operating/webhook-status.ts';
import type { ConsoleFeed } from './console-feed.ts';

export interface Overview {
  readonly sources: readonly OverviewSource[];
  readonly relays: readonly RelayedDestination[];
  readonly subscribers: readonly SubscriberStatus[];
  readonly webhooks: readonly OverviewWebhook[];
}

export interface OverviewSource extends LoadedSource {
  readonly activity: Activity | undefined;
}

/** A destination that a relay serves; on one machine also the output of `watch`. */
export interface RelayedDestination {
  readonly title: string;
  /** Of the groups that changed last, those with an event that it does not have yet. */
  readonly waiting: number;
  /** When the first of these was saved, by the service's clock. */
  readonly oldest: string | null;
  readonly behind: BehindGroups;
}

export interface OverviewWebhook {
  readonly status: WebhookStatus;
  readonly behind: BehindGroups;
}

export async function loadOverview(feed: ConsoleFeed): Promise<Overview> {
  const sources = await loadActiveSources(feed);
  const changed = sources.flatMap(changedGroups);
  const [relays, subscribers, webhooks] = await Promise.all([
    Promise.all(feed.destinations.map((destination) => loadRelayed(feed, destination, changed))),
    listWebhooks(feed.deployment).then((records) =>
      listSubscribers(feed.deployment, records.map(queueNameOf)),
    ),
    loadWebhooks(feed),
  ]);
  return { sources, relays, subscribers, webhooks };
}

function queueNameOf({ queueUrl }: WebhookRecord): string {
  return queueUrl.split('/').at(-1) ?? queueUrl;
}

async function loadActiveSources(feed: ConsoleFeed): Promise<OverviewSource[]> {
  const sources = await loadSources(feed, feed.moments.now(), undefined);
  return Promise.all(
    sources.map(async (source) => ({
      ...source,
      activity: await feed.activities.load(source.state.source),
    })),
  );
}

interface ChangedGroup {
  readonly key: GroupKey;
  readonly sequence: number;
  readonly savedAt: number;
}

function changedGroups({ state: { source, generation }, activity }: OverviewSource): ChangedGroup[] {
  const recent = activity?.recent ?? [];
  return recent.map(({ group, sequence, savedAt }) => ({
    key: { source, generation, group },
    sequence,
    savedAt,
  }));
}

async function loadRelayed(
  feed: ConsoleFeed,
  { mark, title }: DestinationLabels,
  changed: readonly ChangedGroup[],
): Promise<RelayedDestination> {
  const groups = changed.filter(({ key }) => mark === markOf('bus') || !isOwnGroup(key.group));
  const [marks, behind] = await Promise.all([
    readMarks(
      feed,
      feed.marksTable,
      mark,
      groups.map(({ key }) => key),
    ),
    findBehind(feed, mark),
  ]);
  const waiting = groups.filter(({ sequence }, index) => (marks[index] ?? 0) < sequence);
  const oldest = Math.min(...waiting.map(({ savedAt }) => savedAt));
  return {
    title,
    waiting: waiting.length,
    oldest: waiting.length === 0 ? null : formatInstant(oldest),
    behind,
  };
}

async function loadWebhooks(feed: ConsoleFeed): Promise<OverviewWebhook[]> {
  const webhooks = await listWebhookStates(feed, feed.clock.now());
  return Promise.all(
    webhooks.map(async (status) => ({ status, behind: await findBehind(feed, status.webhook) })),
  );
}

/** Of the last full minutes, the share of the budget that was used; undefined if nothing is known. */
export function shareOfBudget({ activity, state }: OverviewSource, nowMs: number): number | undefined {
  const allowed = state.pace?.requestsPerMinute;
  if (allowed === undefined || activity === undefined) return undefined;
  const [from, to] = [nowMs - (LAST_MINUTES + 1) * 60_000, nowMs - 60_000];
  const last = activity.minutes.filter((minute) => {
    const start = minute.from / MILLISECOND;
    return start > from && start <= to;
  });
  return last.reduce((sum, { requests }) => sum + requests, 0) / LAST_MINUTES / allowed;
}

const LAST_MINUTES = 5;
