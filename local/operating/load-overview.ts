// Loads what `status` and the console show: the sources' states, their activities, and for each destination the marks of
// the groups that changed last. The number of reads does not depend on the number of groups.
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { DestinationLabels, DestinationTraits } from '../../shared/deployment/destinations.ts';
import { formatInstant, type Instant, MILLISECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { type ChangedGroup, changedGroups } from './changed-groups.ts';
import type { DeploymentParts, SubscribersAt } from './deployment-parts.ts';
import { type BehindGroups, findBehind } from './find-behind.ts';
import { listWebhookStates } from './list-webhook-states.ts';
import { labelsOfWebhook } from './open-deployment.ts';
import type { OpenFeed, WebhookLabels } from './open-feed.ts';
import { type Attempt, createProblems } from './problems.ts';
import { describeSource, type SourceStatus } from './source-status.ts';
import type { WebhookStatus } from './webhook-status.ts';

export interface Overview {
  /** Null if unknown. */
  readonly sources: readonly OverviewSource[] | null;
  readonly relays: readonly RelayedDestination[];
  readonly subscribers: SubscribersAt;
  readonly webhooks: readonly OverviewWebhook[];
  /** One sentence for each part that could not be loaded. */
  readonly problems: readonly string[];
}

export interface OverviewSource {
  readonly state: SourceState;
  readonly status: SourceStatus;
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

export type OverviewFeed = OpenFeed & DeploymentParts;

/**
 * Loads the parts independently: a missing permission omits only its own part.
 *
 * @param now milliseconds since the epoch
 * @param asked only this source
 * @throws Error if the place has no such source
 */
export async function loadOverview(feed: OverviewFeed, now: number, asked?: string): Promise<Overview> {
  const problems = createProblems();
  const { attempt } = problems;
  if (asked !== undefined) await feed.sources(asked);
  const sources = await attempt('The sources', () => loadSources(feed, now, asked, attempt), null);
  const changed = (sources ?? []).flatMap(({ state, activity }) => changedGroups(state, activity));
  const part = { feed, changed, asked, attempt };
  const [relays, subscribers, webhooks] = await Promise.all([
    Promise.all(feed.destinations.map((labels) => loadRelayed(part, labels))),
    attempt('The ordered subscribers', feed.subscribers, NO_SUBSCRIBERS),
    loadWebhooks(part, now * MILLISECOND),
  ]);
  for (const problem of subscribers.problems) problems.note(problem);
  return { sources, relays, subscribers, webhooks, problems: problems.sentences };
}

const NO_SUBSCRIBERS: SubscribersAt = { subscribers: [], problems: [], askedAtMs: 0 };

interface Part {
  readonly feed: OverviewFeed;
  readonly changed: readonly ChangedGroup[];
  readonly asked: string | undefined;
  readonly attempt: Attempt;
}

async function loadSources(
  feed: OverviewFeed,
  now: number,
  asked: string | undefined,
  attempt: Attempt,
): Promise<OverviewSource[]> {
  const { flags, deployment } = feed;
  const names = await feed.sources(asked);
  const states = await Promise.all(names.map((name) => feed.states.load(name)));
  // Without permission to describe the tables, the rest is still available.
  const place = await attempt('Whether the tables were restored', () => feed.states.identity(), undefined);
  const configured = await attempt('Whether sources were removed', () => feed.configured(), undefined);
  const known = {
    ...{ now: now * MILLISECOND, flags, place },
    isLocal: deployment === undefined,
    poller: await feed.poller(),
  };
  return Promise.all(
    states
      .filter((state) => state !== undefined)
      .map(async (state) => {
        const load = () => feed.activities.load(state.source);
        const activity = await attempt(`The activity of source ${state.source}`, load, undefined);
        const isRemoved = configured !== undefined && !configured.has(state.source);
        return { state, status: describeSource(state, { ...known, isRemoved }), activity };
      }),
  );
}

async function loadRelayed(part: Part, labels: DestinationTraits): Promise<RelayedDestination> {
  const groups = part.changed.filter(({ key }) => labels.getsReports || !isOwnGroup(key.group));
  const [unsent, behind] = await Promise.all([
    loadUnsent(part, labels, groups, Number.NEGATIVE_INFINITY),
    loadBehind(part, labels),
  ]);
  if (unsent === null) return { labels, waiting: null, oldest: null, behind };
  const oldest = Math.min(...unsent.map(({ savedAt }) => savedAt));
  return {
    labels,
    waiting: unsent.length,
    oldest: unsent.length === 0 ? null : formatInstant(oldest),
    behind,
  };
}

/** @param since groups without a mark count if they were saved later */
async function loadUnsent(
  { feed, attempt }: Part,
  { mark, title }: DestinationLabels,
  groups: readonly ChangedGroup[],
  since: Instant,
): Promise<readonly ChangedGroup[] | null> {
  const keys = groups.map(({ key }) => key);
  const marks = await attempt(`The unsent events of ${title}`, () => feed.lists.lastSent(mark, keys), null);
  return (
    marks &&
    groups.filter(({ sequence, savedAt }, index) => {
      const sent = marks[index];
      return sent === undefined ? savedAt > since : sent < sequence;
    })
  );
}

function loadBehind(
  { feed, asked, attempt }: Part,
  { mark, title }: DestinationLabels,
): Promise<BehindGroups | null> {
  return attempt(`The returns that are behind at ${title}`, () => findBehind(feed, mark, asked), null);
}

async function loadWebhooks(part: Part, now: Instant): Promise<OverviewWebhook[]> {
  const { feed, attempt } = part;
  const load = async () => listWebhookStates(feed, now, { records: await feed.webhookRecords(), attempt });
  const isLocal = feed.deployment === undefined;
  const [known, forwarded] = await Promise.all([
    attempt('The webhooks', load, []),
    isLocal ? attempt('The forwarded URLs', feed.webhooks, []) : [],
  ]);
  return Promise.all(
    known.map(async (status) => {
      const { webhook: id, filter } = status;
      const labels = forwarded.find(({ name }) => name === id) ?? labelsOfWebhook({ id, filter });
      const [behind, waiting] = await Promise.all([
        loadBehind(part, labels),
        isLocal ? countUnsent(part, labels) : status.waiting,
      ]);
      return { status: { ...status, waiting }, labels, behind };
    }),
  );
}

/** Null with a filter: the mark of a group may stay below events that the URL does not get. */
async function countUnsent(part: Part, labels: WebhookLabels): Promise<number | null> {
  if (Object.keys(labels.filter).length > 0) return null;
  const endpoint = await part.attempt(
    `The state of ${labels.title}`,
    () => part.feed.endpoints.load(labels.mark),
    undefined,
  );
  if (endpoint === undefined) return null;
  const groups = part.changed.filter(({ key }) => !isOwnGroup(key.group));
  return (await loadUnsent(part, labels, groups, endpoint.startedAt))?.length ?? null;
}
