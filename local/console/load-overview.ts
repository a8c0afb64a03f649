// Loads the data of the overview: the sources' states, their activities, and for each destination the marks of the
// groups that changed last. The number of reads does not depend on the number of groups.
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { DestinationLabels, DestinationTraits } from '../../shared/deployment/destinations.ts';
import { formatInstant } from '../../shared/instant.ts';
import { type BehindGroups, findBehind } from '../operating/find-behind.ts';
import { listWebhookStates } from '../operating/list-webhook-states.ts';
import { type LoadedSource, loadSources } from '../operating/load-status.ts';
import { labelsOfWebhook } from '../operating/open-deployment.ts';
import { labelsOfForwarded } from '../operating/open-feed.ts';
import { type Attempt, createProblems } from '../operating/problems.ts';
import type { WebhookStatus } from '../operating/webhook-status.ts';
import { type ChangedGroup, changedGroups } from './changed-groups.ts';
import type { ConsoleFeed } from './console-feed.ts';
import type { SubscribersAt } from './deployment-parts.ts';

export interface Overview {
  /** Null if unknown. */
  readonly sources: readonly OverviewSource[] | null;
  readonly relays: readonly RelayedDestination[];
  readonly subscribers: SubscribersAt;
  readonly webhooks: readonly OverviewWebhook[];
  /** One sentence for each part that could not be loaded. */
  readonly problems: readonly string[];
}

export interface OverviewSource extends LoadedSource {
  readonly activity: Activity | undefined;
}

/** A destination that a relay serves; on one machine also the output of `watch`. */
export interface RelayedDestination {
  readonly labels: DestinationLabels;
  /** The number of recently changed groups with an event that was not sent to it yet; null if unknown. */
  readonly waiting: number | null;
  /** The earliest of these groups' last saves, by the feed's clock. */
  readonly oldest: string | null;
  /** Null if unknown. */
  readonly behind: BehindGroups | null;
}

export interface OverviewWebhook extends Pick<RelayedDestination, 'labels' | 'behind'> {
  readonly status: WebhookStatus;
}

/** Loads the parts independently: a missing permission omits only its own part. */
export async function loadOverview(feed: ConsoleFeed): Promise<Overview> {
  const problems = createProblems();
  const { attempt } = problems;
  const sources = await attempt('The sources', () => loadActiveSources(feed, attempt), null);
  const changed = (sources ?? []).flatMap(({ state, activity }) => changedGroups(state, activity));
  const [relays, subscribers, webhooks] = await Promise.all([
    Promise.all(feed.destinations.map((labels) => loadRelayed(feed, labels, changed, attempt))),
    attempt('The ordered subscribers', feed.subscribers, NO_SUBSCRIBERS),
    loadWebhooks(feed, attempt),
  ]);
  for (const problem of subscribers.problems) problems.note(problem);
  return { sources, relays, subscribers, webhooks, problems: problems.sentences };
}

const NO_SUBSCRIBERS: SubscribersAt = { subscribers: [], problems: [], askedAtMs: 0 };

async function loadActiveSources(feed: ConsoleFeed, attempt: Attempt): Promise<OverviewSource[]> {
  const sources = await loadSources(feed, feed.moments.now(), undefined, attempt);
  return Promise.all(
    sources.map(async (source) => {
      const name = source.state.source;
      const load = () => feed.activities.load(name);
      return { ...source, activity: await attempt(`The activity of source ${name}`, load, undefined) };
    }),
  );
}

async function loadRelayed(
  feed: ConsoleFeed,
  labels: DestinationTraits,
  changed: readonly ChangedGroup[],
  attempt: Attempt,
): Promise<RelayedDestination> {
  const { mark, title, getsReports } = labels;
  const groups = changed.filter(({ key }) => getsReports || !isOwnGroup(key.group));
  const keys = groups.map(({ key }) => key);
  const [marks, behind] = await Promise.all([
    attempt(`The unsent events of ${title}`, () => feed.lists.lastSent(mark, keys), null),
    loadBehind(feed, labels, attempt),
  ]);
  if (marks === null) return { labels, waiting: null, oldest: null, behind };
  const waiting = groups.filter(({ sequence }, index) => (marks[index] ?? 0) < sequence);
  const oldest = Math.min(...waiting.map(({ savedAt }) => savedAt));
  return {
    labels,
    waiting: waiting.length,
    oldest: waiting.length === 0 ? null : formatInstant(oldest),
    behind,
  };
}

function loadBehind(
  feed: ConsoleFeed,
  { mark, title }: DestinationLabels,
  attempt: Attempt,
): Promise<BehindGroups | null> {
  return attempt(`The returns that are behind at ${title}`, () => findBehind(feed, mark), null);
}

async function loadWebhooks(feed: ConsoleFeed, attempt: Attempt): Promise<OverviewWebhook[]> {
  const load = async () =>
    listWebhookStates(feed, feed.clock.now(), { records: await feed.webhookRecords(), attempt });
  return Promise.all(
    (await attempt('The webhooks', load, [])).map(async (status) => {
      const { webhook: id, filter } = status;
      const labels = feed.deployment === undefined ? labelsOfForwarded(id) : labelsOfWebhook({ id, filter });
      return { status, labels, behind: await loadBehind(feed, labels, attempt) };
    }),
  );
}
