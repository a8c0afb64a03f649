// The status of a deployment's webhooks, or of the URLs that a `watch --data` forwards to: derived from what their
// senders noted, listed, and as text.
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import type { MessageShape } from '../../shared/deployment/message-shape.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import { formatInstant, type Instant } from '../../shared/instant.ts';
import { type EndpointState, isFailing, withoutFutureMoments } from '../../shared/webhooks/endpoint-state.ts';
import { counted } from '../cli/counts.ts';
import { formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import { formatKnownInstant, type Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { type Deployment, withClient } from './find-deployment.ts';
import { readQueueCounts } from './list-subscribers.ts';
import { listWebhooks } from './named-destinations.ts';
import type { OpenFeed } from './open-feed.ts';
import type { Attempt } from './problems.ts';

/** Times are ISO 8601; null is unknown, or never. */
export type WebhookStatus = ReturnType<typeof describeWebhook>;

interface KnownWebhook {
  readonly id: string;
  /** Of a URL that `watch` forwards to, also the scheme and the path; null where the URL is a secret. */
  readonly host: string | null;
  readonly filter: EventFilter;
  /** @default 'event' */
  readonly shape?: MessageShape | undefined;
  /** Undefined before the first attempt. */
  readonly state: EndpointState | undefined;
  /** Messages in its queue: each is of a return with an event that may be unsent. */
  readonly waiting: number | null;
  /** Whether the last `watch` was started without it, while it lacked events. */
  readonly isDropped?: boolean | undefined;
}

export function describeWebhook(known: KnownWebhook, now: Instant) {
  const { id, host, filter, shape = 'event', state: noted, waiting, isDropped = false } = known;
  const state = noted && withoutFutureMoments(noted, now);
  const condition = isDropped ? 'dropped' : conditionOf(state, now);
  const isDelayed = state !== undefined && state.pausedUntil > now;
  return {
    webhook: id,
    state: condition,
    /** Whether an operator has to look at it. */
    needsAttention: condition === 'failing' || condition === 'paused' || condition === 'dropped',
    host,
    filter,
    shape,
    waiting,
    /** Of returns without a mark, it gets the events from then on. */
    startedAt: formatKnownInstant(state?.startedAt),
    lastAcceptedAt: formatKnownInstant(state?.lastAcceptedAt),
    lastFailureAt: formatKnownInstant(state?.lastFailureAt),
    lastFailure: state?.lastFailure ?? null,
    /** Failed attempts since the last accepted event, and since when. */
    failures: state?.failures ?? 0,
    failingSince: formatKnownInstant(state?.failingSince),
    /** No attempt before this. */
    delayedUntil: isDelayed ? formatInstant(state.pausedUntil) : null,
  };
}

/**
 * `dropped`: no `watch` posts to it any more, though it lacks events. `delayed`: the endpoint asked for a pause (429 or
 * 503). `new`: nothing was posted yet.
 */
const WORST_FIRST = ['failing', 'paused', 'dropped', 'delayed', 'working', 'new'] as const;

function worstFirst(webhooks: readonly WebhookStatus[]): WebhookStatus[] {
  return webhooks.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
}

/** The host of a webhook's URL: its path may be a credential. */
function hostOf(url: string | undefined): string | null {
  return url === undefined ? null : new URL(url).host;
}

function conditionOf(state: EndpointState | undefined, now: Instant): (typeof WORST_FIRST)[number] {
  if (state?.isPaused === true) return 'paused';
  if (state === undefined || (state.lastAcceptedAt ?? state.lastFailureAt) === undefined) return 'new';
  if (isFailing(state, now)) return 'failing';
  return state.pausedUntil > now ? 'delayed' : 'working';
}

type ListedFeed = Pick<OpenFeed, 'deployment' | 'endpoints' | 'webhooks'>;

type Listed = Omit<KnownWebhook, 'state'>;

interface ListOptions {
  /** The webhooks of a deployment. @default as the stack records them */
  readonly records?: readonly WebhookRecord[] | undefined;
  /** Loads what may be unknown: the lengths of queues. @default fails with it */
  readonly attempt?: Attempt;
}

/** Every webhook, the worst first. */
export async function listWebhookStates(
  feed: ListedFeed,
  now: Instant,
  options: ListOptions = {},
): Promise<WebhookStatus[]> {
  const { deployment, endpoints } = feed;
  const known = await (deployment === undefined ? listForwarded(feed) : listDeployed(deployment, options));
  const states = known.map(async (webhook) =>
    describeWebhook({ ...webhook, state: await endpoints.load(webhook.id) }, now),
  );
  return worstFirst(await Promise.all(states));
}

async function listDeployed(
  deployment: Deployment,
  { records: known, attempt = (_, load) => load() }: ListOptions,
): Promise<Listed[]> {
  const records = known ?? (await listWebhooks(deployment));
  if (records.length === 0) return [];
  const { SQS } = await import('@aws-sdk/client-sqs');
  return withClient(new SQS(), (client) => {
    const describe = async ({ id, filter, shape, url, queueUrl }: WebhookRecord) => {
      const count = async () => (await readQueueCounts(client, queueUrl)).messages;
      const waiting = await attempt(`The waiting returns of webhook ${id}`, count, null);
      return { id, filter, shape, host: hostOf(url), waiting };
    };
    return Promise.all(records.map(describe));
  });
}

/** Nothing waits in a queue. */
async function listForwarded({ webhooks }: ListedFeed): Promise<Listed[]> {
  return (await webhooks()).map(({ name: id, filter, shape, address = null, isDropped }) => ({
    ...{ id, filter, shape, host: address, waiting: null, isDropped },
  }));
}

/** The lines of one webhook, its state first. */
export function formatWebhook(status: WebhookStatus, moments: Moments, { width, colors }: Layout): string[] {
  const { webhook, host, filter, shape } = status;
  const state = stateOf(status, moments);
  return [
    `${status.needsAttention ? colors.bold(colors.red(state)) : state}: ${webhook}, ${printable(host ?? 'its URL is a secret')}`,
    ...formatEntry('gets', [filterInWords(filter, shape)], width),
    ...formatEntry('waiting', [waitingOf(status)], width),
    ...formatEntry('accepted', [acceptedOf(status, moments)], width),
    ...(status.lastFailureAt === null ? [] : formatEntry('failed', [failureOf(status, moments)], width)),
  ];
}

/** For instance `shipment; to DELIVERED or LOST`, or `whole returns, at all changes`. */
export function filterInWords(filter: EventFilter, shape: MessageShape): string {
  const { sources, entities, types, to, from, changed, hasTracking } = filter;
  const conditions = [
    ...(sources ? [`of ${sources.join(' or ')}`] : []),
    ...(entities ? [entities.join(' or ')] : []),
    ...(types ? [types.join(' or ')] : []),
    ...(from ? [`from ${from.join(' or ')}`] : []),
    ...(to ? [`to ${to.join(' or ')}`] : []),
    ...(changed ? [`changed ${changed.join(' or ')}`] : []),
  ];
  const changes = conditions.length === 0 ? 'all changes' : conditions.join('; ');
  return shape === 'return'
    ? `whole returns${hasTracking ? ' with a tracking number' : ''}, at ${changes}`
    : changes;
}

function stateOf({ state, delayedUntil }: WebhookStatus, moments: Moments): string {
  return state === 'delayed' && delayedUntil !== null ? `delayed until ${moments.full(delayedUntil)}` : state;
}

function waitingOf({ webhook, waiting }: WebhookStatus): string {
  if (waiting === null) return 'unknown';
  return waiting === 0 ? 'none' : counted(waiting, webhook.startsWith(FORWARD_PREFIX) ? 'return' : 'ring');
}

function acceptedOf({ lastAcceptedAt }: WebhookStatus, moments: Moments): string {
  return lastAcceptedAt === null ? 'never' : moments.withAge(lastAcceptedAt);
}

function failureOf({ lastFailureAt, lastFailure, failures, failingSince }: WebhookStatus, moments: Moments) {
  const last = `${moments.withAge(lastFailureAt ?? '')}: ${lastFailure ?? 'unknown'}`;
  if (failures === 0 || failingSince === null) return last;
  const times = failures === 1 ? 'once' : `${failures} times in a row`;
  return `${last}; ${times} since ${moments.full(failingSince)}`;
}
