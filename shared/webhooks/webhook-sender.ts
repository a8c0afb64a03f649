// Delivers a webhook's events, each return's in order. A message that names a return only rings: the sender is a relay
// with an HTTP destination, which reads the ledger beyond the webhook's own mark. So a ring may come twice, late or
// forged, and an endpoint that was down for weeks gets all missed events.
import type { FeedEvent } from '../contract/event.ts';
import { type EventFilter, matchesFilter } from '../contract/event-filter.ts';
import { FEED_GROUP } from '../contract/event-id.ts';
import { DAY, HOUR, type Instant, MILLISECOND } from '../instant.ts';
import { CLOCKS_APART } from '../limits.ts';
import type { GroupKey, Ledger, SendResult, SnapshotStore } from '../ports.ts';
import type { Outcome, SequenceRange } from '../publishing/lane.ts';
import { createRelay } from '../publishing/relay.ts';
import { stepOver } from '../publishing/step-over.ts';
import type { PresentGeneration } from '../source/present-generation.ts';
import { beginDelivery } from './begin-delivery.ts';
import { type Attempt, asError, createEndpoint, type Endpoint, type EndpointPorts } from './endpoint.ts';
import { logErrorsAlone } from './relay-log.ts';
import { LONGEST_PAUSE_MS, retryInMs } from './retry-schedule.ts';
import { createReturnLedger } from './return-ledger.ts';
import type {
  Failing,
  NextFailure,
  PostRequest,
  Rejection,
  WebhookMarks,
  WebhookPosition,
} from './webhook-ports.ts';

export interface WebhookPorts extends EndpointPorts {
  readonly ledger: Ledger;
  readonly marks: WebhookMarks;
  readonly filter: EventFilter;
  readonly presentGeneration: PresentGeneration;
  /** Given for the shape `return`: then it gets whole returns as they are, not events. */
  readonly snapshots?: Pick<SnapshotStore, 'load'> | undefined;
}

/** A group with an event that may be unsent. */
export interface Ring {
  readonly key: GroupKey;
  /** The number of the event that rang. */
  readonly sequence: number;
}

export type RingOutcome =
  | { readonly isDone: true }
  /** `failingForMs`: how long the group's next event, or the endpoint, has failed; undefined if it was not tried. */
  | { readonly isDone: false; readonly retryInMs: number; readonly failingForMs: number | undefined };

/**
 * Sends a group's events until none is left, one fails, or the time is over.
 *
 * @param timeLeftMs no attempt begins after that
 * @throws if the ledger, the marks or the endpoint's state can't be read
 */
export type WebhookSender = (ring: Ring, timeLeftMs: number) => Promise<RingOutcome>;

/** An event is skipped after so long with answers about its content and no other failure. */
const CONTENT_PATIENCE = DAY;
/**
 * How much later than the endpoint asks for an event is tried again at most. An outage, a pause or a lack of senders
 * takes longer: such a time shows nothing of the event, so its patience begins anew.
 */
const TRIED_AGAIN_WITHIN = 2 * HOUR;
/**
 * It is skipped only if the endpoint has accepted another event within this time. An endpoint that rejects everything
 * is itself at fault, for instance because its secret is wrong. Longer than any pause, so every accepted event is
 * recent at some retry.
 */
const ACCEPTED_LATELY = 12 * HOUR;
/** The pause before the next try where no failed attempt decides it. */
const STORE_PAUSE_MS = 5_000;
const DONE: RingOutcome = { isDone: true };
const SOON: RingOutcome = { isDone: false, retryInMs: STORE_PAUSE_MS, failingForMs: undefined };
const OVERTAKEN = new Error('another sender has sent the event as well');
/** Where the outcome of an attempt could not be noted: each try posts the event again. */
const UNNOTED: RingOutcome = { isDone: false, retryInMs: 60_000, failingForMs: undefined };
/** As long as a sender runs: the other one has ended by then, or its own ring comes back. */
const AFTER_THE_OTHER: RingOutcome = { isDone: false, retryInMs: 60_000, failingForMs: undefined };

/** Whether the webhook gets the event. It gets changes, not the feed's events about itself. */
export function admitsEvent(filter: EventFilter, event: FeedEvent): boolean {
  return !event.type.startsWith(`${FEED_GROUP}.`) && matchesFilter(filter, event);
}

export function createWebhookSender(ports: WebhookPorts): WebhookSender {
  const { clock, snapshots, untilNextPost } = ports;
  const endpoint = createEndpoint(ports);
  return async (ring, timeLeftMs) => {
    const stopAt = clock.elapsed() + timeLeftMs * MILLISECOND;
    for (;;) {
      // A whole return is read after the pause, not before it.
      if (snapshots !== undefined) await untilNextPost?.();
      const position = await beginDelivery(ports, endpoint, ring);
      const delivery = { ports, endpoint, key: ring.key, position };
      const result = await send(delivery, (stopAt - clock.elapsed()) / MILLISECOND);
      if (result !== 'stepped over') return result;
    }
  };
}

interface Delivery {
  readonly ports: WebhookPorts;
  readonly endpoint: Endpoint;
  readonly key: GroupKey;
  readonly position: WebhookPosition;
}

interface LastAttempt {
  readonly attempt: Attempt;
  /** The numbers of the events that were posted: of one, or of all in a whole return since the mark. */
  readonly range: SequenceRange;
}

interface Concluded extends LastAttempt {
  /** Whether the event was accepted, and the mark could not be moved over it. */
  readonly isUnmarked: boolean;
}

async function send(delivery: Delivery, timeLeftMs: number): Promise<RingOutcome | 'stepped over'> {
  const { ports, endpoint, key, position } = delivery;
  let last: LastAttempt | undefined;
  let { failingSince } = position;
  let isUnmarked = false;
  let isOvertaken = false;
  const { snapshots } = ports;
  const whole = snapshots && createReturnLedger({ ...ports, snapshots });
  const relay = createRelay({
    ...ports,
    admits: (event) => admitsEvent(ports.filter, event),
    ...whole,
    log: logErrorsAlone(ports.log, (error) => error === OVERTAKEN),
    marks: {
      ...ports.marks,
      load: async () => position.sequence,
      async advance(name, key, sequence) {
        const hasMoved = await ports.marks.advance(name, key, sequence);
        isOvertaken = !hasMoved && isUnmarked;
        isUnmarked = false;
        // Ends the lane: if both senders went on, they would post every event twice.
        if (isOvertaken) throw OVERTAKEN;
        return hasMoved;
      },
    },
    attempts: 1,
    maxUnmarked: 1,
    destination: {
      name: ports.webhook,
      async send(events) {
        const results: SendResult[] = [];
        for (const event of events) {
          const attempt = await endpoint.attempt(requestOf(event), failingSince);
          // The next event is another one.
          failingSince = undefined;
          isUnmarked = attempt.kind === 'accepted';
          const { sequence: to } = event.data;
          last = { attempt, range: { from: whole ? (position.sequence ?? 0) + 1 : to, to } };
          results.push(resultOf(attempt));
        }
        return results;
      },
    },
  });
  const [outcome] = await relay([key], timeLeftMs);
  if (isOvertaken) return leaveToTheOther(delivery);
  return conclude(delivery, outcome, last && { ...last, isUnmarked });
}

/** The ring is kept while events are left: the other sender may die. */
async function leaveToTheOther({ ports, key }: Delivery): Promise<RingOutcome> {
  const mark = await ports.marks.load(ports.webhook, key);
  const rest = await ports.ledger.read(key, mark ?? 0, 1);
  return rest.length === 0 ? DONE : AFTER_THE_OTHER;
}

/** The request of an event. Receivers drop ids that they know, so an event that is sent anew has another one. */
export function requestOf(event: FeedEvent): PostRequest {
  const id = event.replayid === undefined ? event.id : `${event.id}_${event.replayid}`;
  return { id, body: JSON.stringify(event) };
}

function resultOf(attempt: Attempt): SendResult {
  if (attempt.kind === 'accepted') return { sent: true };
  return { sent: false, cause: 'failed', reason: 'reason' in attempt ? attempt.reason : 'delayed' };
}

async function conclude(
  { ports, endpoint, key, position }: Delivery,
  outcome: Outcome | undefined,
  last: Concluded | undefined,
): Promise<RingOutcome | 'stepped over'> {
  const { clock, log, webhook, random } = ports;
  if (outcome?.state === 'behind')
    log.warn('group is behind', { webhook, ...key, sequence: outcome.sequence, reason: outcome.reason });
  // A gap in the ledger is left to the sweep, which alone knows whether it is lost.
  if (outcome?.state !== 'failed') return DONE;
  // The tables could not be read or written, or the time was over.
  if (last === undefined) return SOON;
  if (last.attempt.kind === 'accepted') return last.isUnmarked ? UNNOTED : SOON;
  const { attempt, range } = last;
  // A whole return fails as its first change: a newer state goes on with the failures before it.
  const sequence = range.from;
  if (attempt.kind === 'delayed') {
    const waitMs = Math.ceil(attempt.waitMs * (1 + random() / 4));
    return { isDone: false, retryInMs: Math.min(waitMs, LONGEST_PAUSE_MS), failingForMs: undefined };
  }
  const now = clock.now();
  const { reason } = attempt;
  const isContent = attempt.kind === 'content';
  const rejection = isContent ? rejectionOf(position, sequence, attempt.askedMs, now) : undefined;
  let failing: Failing | undefined;
  try {
    failing = await noteFailing(ports, key, { sequence, reason, at: now, rejection });
  } catch (error) {
    log.warn('the failure of an event could not be noted', {
      webhook,
      ...key,
      sequence,
      error: asError(error),
    });
    return UNNOTED;
  }
  // Another sender has sent the event meanwhile.
  if (failing === undefined) return SOON;
  const { since } = failing;
  if (await isEventsFault(endpoint, failing, now)) {
    const isSkipped = await stepOver({ ...ports, destination: { name: webhook } }, key, range, reason);
    if (isSkipped) return 'stepped over';
  }
  const failingFor = now - since;
  const retryIn = retryInMs(failingFor, attempt.askedMs, random());
  // A return that fails for the first time may be the only one that is tried while the endpoint fails.
  const { failingSince = since } = await endpoint.load();
  const failingForMs = (now - Math.min(since, failingSince)) / MILLISECOND;
  return { isDone: false, retryInMs: retryIn, failingForMs };
}

/**
 * Notes since when the event fails. Discards an earlier note if its moment lies in the future, because it comes from a
 * wrong clock. The rejections begin anew if theirs does, or if it is before the event failed: then it is about the
 * previous event (an earlier release did not remove it).
 */
async function noteFailing(
  { marks, webhook }: WebhookPorts,
  key: GroupKey,
  failure: NextFailure,
): Promise<Failing | undefined> {
  const latest = failure.at + CLOCKS_APART;
  const failing = await marks.noteFailing(webhook, key, failure);
  if (failing === undefined) return undefined;
  const { since, contentSince = since } = failing;
  if (since > latest) {
    await marks.noteBehind(webhook, key, undefined);
    return marks.noteFailing(webhook, key, failure);
  }
  if (contentSince <= latest && contentSince >= since - CLOCKS_APART) return failing;
  const rejection = failure.rejection && { ...failure.rejection, continues: false };
  return marks.noteFailing(webhook, key, { ...failure, rejection });
}

/** @param position as it was before the attempts: it may be of an earlier event */
function rejectionOf(position: WebhookPosition, sequence: number, askedMs: number, now: Instant): Rejection {
  const { rejectedUntil = 0 } = position;
  const pause = Math.min(askedMs, LONGEST_PAUSE_MS) * MILLISECOND;
  return {
    continues: position.sequence === sequence - 1 && now <= rejectedUntil,
    until: now + pause + TRIED_AGAIN_WITHIN,
  };
}

/** Whether the endpoint rejected this event, and nothing else was wrong, for long enough while it accepts others. */
async function isEventsFault(endpoint: Endpoint, { contentSince }: Failing, now: Instant): Promise<boolean> {
  if (contentSince === undefined || now - contentSince < CONTENT_PATIENCE) return false;
  const { lastAcceptedAt } = await endpoint.load();
  return lastAcceptedAt !== undefined && now - lastAcceptedAt < ACCEPTED_LATELY;
}
