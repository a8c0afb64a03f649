// Forwards events to a URL of a developer's choice while `watch` runs: the sender of webhooks as it runs in Lambda,
// with marks of its own for each URL.
import { createHash } from 'node:crypto';
import { createWebhookPost } from '../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { ContentType } from '../../shared/deployment/content-type.ts';
import { FORWARD_PREFIX } from '../../shared/deployment/destinations.ts';
import type { MessageShape } from '../../shared/deployment/message-shape.ts';
import { RELAY_READ_EVENTS } from '../../shared/limits.ts';
import type { Clock, GroupKey, Ledger, Log, SnapshotStore } from '../../shared/ports.ts';
import type { PresentGeneration } from '../../shared/source/present-generation.ts';
import { createEndpoint } from '../../shared/webhooks/endpoint.ts';
import { failsInARow } from '../../shared/webhooks/endpoint-state.ts';
import { type SweepWebhookPorts, sweepWebhook } from '../../shared/webhooks/ring-unsent.ts';
import type { Answer, EndpointStates, WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import {
  admitsEvent,
  createWebhookSender,
  type Ring,
  type WebhookPorts,
} from '../../shared/webhooks/webhook-sender.ts';
import type { Commit } from '../store/news.ts';
import { withoutPauses } from './output-relay.ts';
import { createRingSchedule } from './ring-schedule.ts';

export interface ForwardTarget {
  readonly url: URL;
  /** A signing secret as text. */
  readonly secret: string;
  readonly filter: EventFilter;
  readonly contentType: ContentType | undefined;
  /** @default 'event' */
  readonly shape?: MessageShape | undefined;
  /** Where a receiver's developer finds the secret, in a sentence. */
  readonly secretFrom: string;
  /** Called after each attempt, also with `secretFrom`. */
  readonly onAttempt: (url: URL, event: FeedEvent, answer: Answer, secretFrom: string) => void;
}

export interface ForwarderPorts {
  readonly ledger: Ledger;
  readonly snapshots: Pick<SnapshotStore, 'load'>;
  readonly marks: WebhookMarks;
  readonly behind: SweepWebhookPorts['behind'];
  readonly presentGeneration: PresentGeneration;
  readonly endpoints: EndpointStates;
  readonly clock: Clock;
  readonly log: Log;
}

export type Forwarder = Awaited<ReturnType<typeof startForwarder>>;

const ATTEMPT_MS = 15_000;
/** Returns that are sent at the same time: 20 that hang let others go on after three times HANGS_AFTER_MS. */
const AT_ONCE = 10;
/** Returns that failed before or hang leave half of the places to the others. */
const RETRIES_AT_ONCE = AT_ONCE / 2;
const HANGS_AFTER_MS = 250;
/** A sender continues with a return's events for so long before other returns are sent. */
const TURN_MS = 60_000;
/** A sweep lasts as long as the posts of what it finds. */
const SWEEP_MS = Number.POSITIVE_INFINITY;

export async function startForwarder(target: ForwardTarget, ports: ForwarderPorts) {
  const key = parseSigningSecret(target.secret);
  const post = createWebhookPost({
    url: target.url,
    keys: async () => [key],
    contentType: target.contentType,
    addresses: 'any',
    usesProxy: true,
    timeoutMs: ATTEMPT_MS,
  });
  const webhook: WebhookPorts = {
    ...ports,
    snapshots: target.shape === 'return' ? ports.snapshots : undefined,
    // The display shows each attempt already.
    log: { ...ports.log, info: ports.log.debug },
    webhook: forwardId(target.url),
    filter: target.filter,
    random: Math.random,
    attemptMs: ATTEMPT_MS,
    retriesAtOnce: RETRIES_AT_ONCE,
    hangsAfterMs: HANGS_AFTER_MS,
    othersWait: () => schedule.hasWaiting(),
    async post(request, signal) {
      const answer = await post(request, signal);
      target.onAttempt(target.url, JSON.parse(request.body), answer, target.secretFrom);
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
      if (wasFailing && !isFailingNow) void schedule.wake();
      wasFailing = isFailingNow;
      return outcome;
    },
    clock: ports.clock,
    atOnce: AT_ONCE,
    onError: (error) =>
      ports.log.error('An event could not be forwarded; retrying.', { error: error as Error }),
  });
  return {
    /** Delivers the new events of these groups, each from its first one on. Returns at once. */
    ring(groups: Commit['groups']): void {
      for (const { key, first } of groups)
        if (!isOwnGroup(key.group)) schedule.ring({ key, sequence: first });
    },
    /** Tries the groups at once whose next event an operator has released or skipped. */
    async retryReleased(): Promise<void> {
      const { marks, webhook: name } = webhook;
      await schedule.wake(async ({ key }) => (await marks.position(name, key)).failingSince === undefined);
    },
    /** Delivers what was published while nothing ran. */
    async catchUp(): Promise<void> {
      const ring = async (key: GroupKey, sequence: number) => {
        await schedule.untilFewWait();
        schedule.ring({ key, sequence });
      };
      const clock = withoutPauses(ports.clock);
      const { startedAt } = await endpoint.load();
      await sweepWebhook({ ...webhook, behind: ports.behind, clock, ring }, SWEEP_MS, startedAt);
    },
    /** Tries what is left once more, without pauses, and logs how much was not accepted. */
    async finish(): Promise<void> {
      const left = await schedule.finish();
      const counts = await Promise.all(left.map((ring) => countUndelivered(webhook, ring)));
      const unfinished = counts.filter((count) => count > 0);
      if (unfinished.length === 0) return;
      ports.log.warn('Some events were not forwarded.', {
        url: target.url.host,
        events: unfinished.reduce((sum, count) => sum + count, 0),
        returns: unfinished.length,
      });
    },
    async stop(): Promise<void> {
      await schedule.stop();
      post.close();
    },
  };
}

/** The name of the URL's marks: the same in every run, and without the URL, which may be a secret. */
export function forwardId(url: URL): string {
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
