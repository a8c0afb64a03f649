// Loads what `status` and the console show: the sources' states, their activities, and for each destination the marks of
// the groups that changed last. In a deployment the number of reads does not depend on the number of groups.
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import type { BehindGroup } from '../../functions/adapters/dynamodb-behind.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { DestinationLabels, DestinationTraits } from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Reader } from '../../shared/pulling/reader.ts';
import { findUnread, type Unread } from '../../shared/pulling/unread.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { EndpointState } from '../../shared/webhooks/endpoint-state.ts';
import { type ChangedGroup, changedGroups, type UnsentQuery } from '../place/changed-groups.ts';
import {
  type ConfiguredSources,
  labelsOfWebhook,
  type OpenFeed,
  type WebhookLabels,
} from '../place/open-feed.ts';
import type { Unsent } from '../store/unsent.ts';
import type { DeploymentParts, SubscribersAt } from './deployment-parts.ts';
import { countMessages } from './list-subscribers.ts';
import { type Attempt, createProblems } from './problems.ts';
import { describeSource, type SourceStatus, type StatusCircumstances } from './source-status.ts';

export interface Overview {
  /** Null if unknown. */
  readonly sources: readonly OverviewSource[] | null;
  readonly relays: readonly RelayedDestination[];
  readonly subscribers: SubscribersAt;
  readonly webhooks: readonly OverviewWebhook[];
  readonly readers: readonly OverviewReader[];
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
  /** The returns and events that it lacks; null if unknown. */
  readonly waiting: Unsent | null;
  /** Null if unknown. */
  readonly behind: BehindGroups | null;
}

export interface OverviewWebhook extends RelayedDestination {
  readonly labels: WebhookLabels;
  /** The host of a deployment's webhook: its path may be a credential. Null where the URL is a secret. */
  readonly host: string | null;
  /** The state that its senders share; undefined before the first attempt. */
  readonly endpoint: EndpointState | undefined;
}

/** A reader of the pull feed. */
export interface OverviewReader {
  readonly name: string;
  readonly reader: Reader;
  /** Null if unknown, or before its first request. */
  readonly unread: Unread | null;
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
  const generations = (sources ?? []).map(({ state }) => state);
  const part = { feed, changed, generations, asked, attempt };
  const [relays, subscribers, webhooks, readers] = await Promise.all([
    Promise.all(feed.destinations.map((labels) => loadRelayed(part, labels))),
    attempt('The ordered subscribers', feed.subscribers, NO_SUBSCRIBERS),
    loadWebhooks(part),
    // A deployment may have readers of before, and no pull feed any more.
    feed.deployment === undefined || feed.deployment.pullUrl !== undefined ? loadReaders(feed, attempt) : [],
  ]);
  for (const problem of subscribers.problems) problems.note(problem);
  return { sources, relays, subscribers, webhooks, readers, problems: problems.sentences };
}

const NO_SUBSCRIBERS: SubscribersAt = { subscribers: [], problems: [], askedAtMs: 0 };

interface Part {
  readonly feed: OverviewFeed;
  readonly changed: readonly ChangedGroup[];
  readonly generations: UnsentQuery['generations'];
  readonly asked: string | undefined;
  readonly attempt: Attempt;
}

async function loadSources(
  feed: OverviewFeed,
  now: number,
  asked: string | undefined,
  attempt: Attempt,
): Promise<OverviewSource[]> {
  const names = await feed.sources(asked);
  // Without permission to describe the tables, the rest is still available.
  const place = await attempt('Whether the tables were restored', () => feed.states.identity(), undefined);
  const configured = await attempt('Whether sources were removed', () => feed.configured(), undefined);
  const activities = await attempt('What changed last', () => feed.activitiesOf(names), new Map());
  const sources = await loadStatuses(feed, names, { now, place, configured });
  return sources.map((source) => ({ ...source, activity: activities.get(source.state.source) }));
}

/** Those of the named sources that have a state, each with its status. @param now milliseconds since the epoch */
export async function loadStatuses(
  feed: OpenFeed,
  names: readonly string[],
  {
    now,
    place,
    configured,
  }: Pick<StatusCircumstances, 'place'> & {
    readonly now: number;
    readonly configured: ConfiguredSources | undefined;
  },
) {
  const { flags, deployment } = feed;
  const poller = await feed.poller();
  const known = { now: now * MILLISECOND, flags, place, isLocal: deployment === undefined, poller };
  const states = (await feed.statesOf(names)).toSorted((a, b) => (a.source < b.source ? -1 : 1));
  return Promise.all(
    states.map(async (state) => {
      const { source: name } = state;
      const start = await feed.lastStart(name);
      const isRemoved = start?.isRemoved ?? configured?.has(name) === false;
      const rests = isRemoved ? 'removed' : configured?.get(name)?.isPaused ? 'paused' : undefined;
      const status = describeSource(state, { ...known, rests, given: start?.options });
      return { state, status, start };
    }),
  );
}

async function loadRelayed(part: Part, labels: DestinationTraits): Promise<RelayedDestination> {
  const [waiting, behind] = await Promise.all([
    loadUnsent(part, labels, {
      filter: {},
      since: Number.NEGATIVE_INFINITY,
      getsReports: labels.getsReports,
    }),
    loadBehind(part, labels),
  ]);
  return { labels, waiting, behind };
}

function loadUnsent(
  { feed, changed, generations, attempt }: Part,
  { mark, title }: DestinationLabels,
  { getsReports, ...query }: Pick<UnsentQuery, 'filter' | 'since'> & { readonly getsReports: boolean },
): Promise<Unsent | null> {
  const groups = changed.filter(({ key }) => getsReports || !isOwnGroup(key.group));
  const load = () => feed.lists.unsent({ ...query, destination: mark, generations, changed: groups });
  return attempt(`The unsent events of ${title}`, load, null);
}

function loadBehind(
  { feed, asked, attempt }: Pick<Part, 'feed' | 'asked' | 'attempt'>,
  { mark, title }: DestinationLabels,
): Promise<BehindGroups | null> {
  return attempt(`The returns that are behind at ${title}`, () => findBehind(feed, mark, asked), null);
}

async function loadWebhooks(part: Part): Promise<OverviewWebhook[]> {
  const { deployment, webhookRecords, webhooks } = part.feed;
  if (deployment !== undefined)
    return loadDeployedWebhooks(part, await part.attempt('The webhooks', webhookRecords, []));
  const forwarded = await part.attempt('The forwarded URLs', webhooks, []);
  return Promise.all(
    forwarded.map(async (labels) => {
      const [endpoint, behind] = await loadSending(part, labels);
      const waiting = await countForwarded(part, labels, endpoint);
      return { labels, host: null, endpoint, waiting, behind };
    }),
  );
}

/** What `webhooks list` shows of a deployment. */
export async function loadDeployedWebhooks(
  part: Pick<Part, 'feed' | 'asked' | 'attempt'>,
  records: readonly WebhookRecord[],
): Promise<OverviewWebhook[]> {
  const titled = records.map((record) => ({
    title: `The waiting returns of webhook ${record.id}`,
    ...record,
  }));
  const counts = records.length === 0 ? [] : await countMessages(titled, part.attempt);
  return Promise.all(
    records.map(async (record, index) => {
      const labels = labelsOfWebhook(record);
      const [endpoint, behind] = await loadSending(part, labels);
      const host = record.url === undefined ? null : new URL(record.url).host;
      // Each message is of a return with an event that may be unsent.
      const returns = counts[index] ?? null;
      const waiting = returns === null ? null : { returns, events: null, isCut: false, oldest: undefined };
      return { labels, host, endpoint, waiting, behind };
    }),
  );
}

function loadSending(part: Pick<Part, 'feed' | 'asked' | 'attempt'>, labels: WebhookLabels) {
  const { feed, attempt } = part;
  return Promise.all([
    attempt(`The state of ${labels.title}`, () => feed.endpoints.load(labels.name), undefined),
    loadBehind(part, labels),
  ]);
}

function countForwarded(
  part: Part,
  labels: WebhookLabels,
  endpoint: EndpointState | undefined,
): Promise<Unsent | null> | null {
  if (endpoint === undefined) return null;
  return loadUnsent(part, labels, { filter: labels.filter, since: endpoint.startedAt, getsReports: false });
}

/** Those of the pull feed, by name. */
export async function loadReaders(
  { readers, positions }: Pick<OpenFeed, 'readers' | 'positions'>,
  attempt: Attempt,
): Promise<OverviewReader[]> {
  const known = await attempt('The readers of the pull feed', readers.list, new Map<string, Reader>());
  return Promise.all(
    [...known].map(async ([name, reader]) => {
      const load = () => findUnread(positions, reader);
      const isNew = reader.readAt === undefined;
      return {
        ...{ name, reader },
        unread: isNew ? null : await attempt(`What the reader ${name} has not read`, load, null),
      };
    }),
  );
}

type BehindGroups = Awaited<ReturnType<typeof findBehind>>;

/** Groups that are read of one destination. */
const MOST = 100;

/**
 * The groups that are behind at a destination, at most a hundred, and whether there are more.
 *
 * @param source only this source's
 */
async function findBehind({ lists }: Pick<OpenFeed, 'lists'>, mark: string, source?: string) {
  const groups: BehindGroup[] = [];
  for await (const group of lists.behind(mark, source)) {
    if (groups.length === MOST) return { groups, isCut: true };
    groups.push(group);
  }
  return { groups, isCut: false };
}
