// Forwards events to a URL of a developer's choice while `watch` runs: the sender of webhooks as it runs in Lambda,
// with marks of its own for each URL.
import { createHash } from 'node:crypto';
import { createWebhookPost } from '../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { parseEventId } from '../../shared/contract/event-id.ts';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import { RELAY_READ_EVENTS } from '../../shared/limits.ts';
import type { Clock, GroupKey, Ledger, Log } from '../../shared/ports.ts';
import { sweepLedger } from '../../shared/publishing/sweep.ts';
import type { PresentGeneration } from '../../shared/source/present-generation.ts';
import { createEndpoint } from '../../shared/webhooks/endpoint.ts';
import { failsInARow } from '../../shared/webhooks/endpoint-state.ts';
import { createRingUnsent } from '../../shared/webhooks/ring-unsent.ts';
import type { Answer, EndpointStates, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import {
  admitsEvent,
  createWebhookSender,
  type Ring,
  type WebhookPorts,
} from '../../shared/webhooks/webhook-sender.ts';
import { createRingSchedule } from './ring-schedule.ts';

export interface ForwardTarget {
  readonly url: URL;
  /** A signing secret as text. */
  readonly secret: string;
  readonly filter: EventFilter;
}

export interface ForwarderPorts {
  readonly ledger: Ledger;
  readonly marks: WebhookMarks;
  readonly presentGeneration: PresentGeneration;
  readonly endpoints: EndpointStates;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each attempt. */
  readonly onAttempt: (event: FeedEvent, answer: Answer) => void;
}

export type Forwarder = Awaited<ReturnType<typeof startForwarder>>;

const ATTEMPT_MS = 15_000;
/** As webhooks in AWS by default. */
const AT_ONCE = 5;
/** Retries may take all places: here none has to stay free for other returns. */
const RETRIES_AT_ONCE = AT_ONCE;
/** A sender continues with a return's events for so long before other returns are sent. */
const TURN_MS = 60_000;
const SWEEP_MS = 600_000;

export async function startForwarder(target: ForwardTarget, ports: ForwarderPorts) {
  const key = parseSigningSecret(target.secret);
  const post = createWebhookPost({
    url: target.url,
    keys: async () => [key],
    addresses: 'any',
    timeoutMs: ATTEMPT_MS,
  });
  const webhook: WebhookPorts = {
    ...ports,
    // The display shows each attempt already.
    log: { ...ports.log, info: ports.log.debug },
    webhook: forwardId(target.url),
    filter: target.filter,
    random: Math.random,
    attemptMs: ATTEMPT_MS,
    retriesAtOnce: RETRIES_AT_ONCE,
    async post(request) {
      const answer = await post(request);
      ports.onAttempt(JSON.parse(request.body), answer);
      return answer;
    },
  };
  // A new URL starts now: not with what the ledger holds already.
  const endpoint = createEndpoint(webhook);
  let wasFailing = failsInARow(await endpoint.load());
  const send = createWebhookSender(webhook);
  const schedule = createRingSchedule({
    async send(ring) {
      const outcome = await send(ring, TURN_MS);
      const isFailingNow = failsInARow(await endpoint.load());
      // The receiver works again: its developer should not have to wait for the pauses.
      if (wasFailing && !isFailingNow) schedule.wake();
      wasFailing = isFailingNow;
      return outcome;
    },
    clock: ports.clock,
    atOnce: AT_ONCE,
    onError: (error) =>
      ports.log.error('An event could not be forwarded; retrying.', { error: error as Error }),
  });
  return {
    target,
    /** Delivers the event and all before it of its return. Returns at once. */
    forward(event: FeedEvent): void {
      const key = parseEventId(event.id);
      if (key !== undefined) schedule.ring({ key, sequence: key.sequence });
    },
    /** Delivers what was published while nothing ran. */
    async catchUp(): Promise<void> {
      const ring = async (key: GroupKey, sequence: number) => schedule.ring({ key, sequence });
      const relay = createRingUnsent({ ...webhook, ring });
      await sweepLedger({ ...webhook, destination: { name: webhook.webhook } }, relay, SWEEP_MS);
    },
    /** Tries what is left once more, without pauses. @returns the events that were not accepted */
    async finish() {
      const left = await schedule.finish();
      const counts = await Promise.all(left.map((ring) => countUndelivered(webhook, ring)));
      const unfinished = counts.filter((count) => count > 0);
      return { events: unfinished.reduce((sum, count) => sum + count, 0), returns: unfinished.length };
    },
    async stop(): Promise<void> {
      await schedule.stop();
      post.close();
    },
  };
}

/** The name of the URL's marks: the same in every run, and without the URL, which may be a secret. */
function forwardId(url: URL): string {
  return `${FORWARD_PREFIX}${createHash('sha256').update(url.href).digest('hex').slice(0, 16)}`;
}

async function countUndelivered(
  { ledger, marks, webhook, filter }: WebhookPorts,
  { key }: Ring,
): Promise<number> {
  let last = (await marks.load(webhook, key)) ?? 0;
  let count = 0;
  for (;;) {
    const entries = await ledger.read(key, last, RELAY_READ_EVENTS);
    count += entries.filter((entry) => 'event' in entry && admitsEvent(filter, entry.event)).length;
    last = entries.at(-1)?.sequence ?? last;
    if (entries.length < RELAY_READ_EVENTS) return count;
  }
}
