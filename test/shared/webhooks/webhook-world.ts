// A webhook's sender on virtual time: a ledger that the test fills, marks and the endpoint's state in memory, and a
// receiver that answers as the test sets it and keeps the accepted events.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { EventFilter } from '../../../shared/contract/event-filter.ts';
import type { Instant } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { Answer, PostRequest } from '../../../shared/webhooks/webhook-ports.ts';
import { createWebhookSender, type WebhookPorts } from '../../../shared/webhooks/webhook-sender.ts';
import { createMemoryEndpointStates } from '../../fakes/memory-endpoint-states.ts';
import { createMemoryMarks } from '../../fakes/memory-marks.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey } from '../publishing/an-event.ts';
import { createWorld, openGate } from '../publishing/relay-world.ts';

export const WEBHOOK = 'Wms';

export interface WebhookWorldOptions {
  readonly filter?: EventFilter;
  readonly retriesAtOnce?: number;
  readonly hangsAfterMs?: number;
  readonly random?: () => number;
  /** The clock's moment at the start. The events of the ledger were observed at 2026-11-20T10:15:03Z. */
  readonly start?: Instant;
}

export function createWebhookWorld(options: WebhookWorldOptions = {}) {
  const clock = createVirtualClock(options.start);
  const relayWorld = createWorld();
  const marks = createMemoryMarks();
  const endpoints = createMemoryEndpointStates();
  const posted: PostRequest[] = [];
  const accepted: PostRequest[] = [];
  const world = {
    clock,
    marks,
    endpoints,
    posted,
    accepted,
    log: relayWorld.log,
    show: relayWorld.show,
    undecodable: relayWorld.undecodable,
    shown: relayWorld.shown,
    /** Answers an attempt; replace it. */
    answer: (_event: FeedEvent): Partial<{ status: number; retryAfter: string; failure: string }> => ({
      status: 204,
    }),
    /** The duration of an attempt. */
    takesMs: (_event: FeedEvent): number => 0,
    ports: {
      webhook: WEBHOOK,
      filter: options.filter ?? {},
      endpoints,
      marks,
      ledger: relayWorld.ports(openGate).ledger,
      clock,
      log: relayWorld.log,
      random: options.random ?? (() => 0),
      presentGeneration: async () => KEY.generation,
      attemptMs: 15_000,
      retriesAtOnce: options.retriesAtOnce ?? 2,
      hangsAfterMs: options.hangsAfterMs ?? 1_000,
      post: (request: PostRequest, signal?: AbortSignal) => post(request, signal),
    } satisfies WebhookPorts,
    sender: (overrides: Partial<WebhookPorts> = {}) => createWebhookSender({ ...world.ports, ...overrides }),
    /** Rings once; returns the outcome of the ring. */
    ring: (key: GroupKey, sequence: number, timeLeftMs = 60_000) =>
      clock.run(world.sender()({ key, sequence }, timeLeftMs)),
    acceptedNumbers: (key: GroupKey) =>
      accepted
        .map(({ body }) => JSON.parse(body) as FeedEvent)
        .filter(({ partitionkey }) => partitionkey === `${key.source}/${key.group}`)
        .map(({ data }) => data.sequence),
  };

  async function post(request: PostRequest, signal?: AbortSignal): Promise<Answer> {
    const event = JSON.parse(request.body) as FeedEvent;
    posted.push(request);
    const requestMs = world.takesMs(event);
    if (requestMs > 0) await clock.sleep(requestMs, signal);
    if (signal?.aborted) return { failure: 'timeout', requestMs };
    const { status, retryAfter, failure } = world.answer(event);
    if (failure !== undefined || status === undefined) return { failure: failure ?? 'reset', requestMs };
    if (status >= 200 && status < 300) accepted.push(request);
    return { status, retryAfter, requestMs };
  }

  return world;
}

export const KEY = aKey(1);
export const OTHER = aKey(2);

/** With the events of one return, from the first to the last number. */
export function worldWith(last: number, options: WebhookWorldOptions = {}) {
  const world = createWebhookWorld(options);
  for (let n = 1; n <= last; n += 1) world.show(KEY, n);
  return world;
}
