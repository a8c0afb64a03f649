// One webhook's endpoint: asks the shared state whether to post, posts, judges the answer, and updates the state.
// Senders in other processes do the same at once, so each change of the state is saved on the condition that no other
// sender saved it since.
import { type Instant, MILLISECOND } from '../instant.ts';
import { ENDPOINT_SAVE_ATTEMPTS } from '../limits.ts';
import type { Clock, Log } from '../ports.ts';
import {
  addLease,
  admit,
  admitHanging,
  type EndpointState,
  hangsAfter,
  noteAccepted,
  noteAnswered,
  noteFailure,
} from './endpoint-state.ts';
import { judgeAnswer, type Verdict } from './judge-answer.ts';
import { loadEndpoint } from './load-endpoint.ts';
import { retryInMs } from './retry-schedule.ts';
import type { Answer, EndpointStates, Post, PostRequest } from './webhook-ports.ts';

export interface EndpointPorts {
  /** The webhook's id, also its name in the marks. */
  readonly webhook: string;
  readonly post: Post;
  readonly endpoints: EndpointStates;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The time after which an attempt has ended, whatever the endpoint does. */
  readonly attemptMs: number;
  /** How many returns that failed before, or whose post hangs, may be tried at once while the endpoint works. */
  readonly retriesAtOnce: number;
  /** A post hangs after this time at the earliest; later where accepted ones take long. */
  readonly hangsAfterMs: number;
  /** Whether other returns wait for a sender. @default they may */
  readonly othersWait?: (() => boolean) | undefined;
  /** See PostPace. @default no maximum rate */
  readonly untilNextPost?: (() => Promise<void>) | undefined;
}

export type Attempt = Verdict | { readonly kind: 'delayed'; readonly waitMs: number };

export interface Endpoint {
  /** The state, created if there is none. */
  load(): Promise<EndpointState>;
  /**
   * Posts once, or not at all where the endpoint's state forbids it.
   *
   * @param failingSince since when the event fails; undefined if it never did
   */
  attempt(request: PostRequest, failingSince: Instant | undefined): Promise<Attempt>;
}

type Delayed = Extract<Attempt, { kind: 'delayed' }>;

interface Admitted {
  readonly kind: 'admitted';
  readonly lease: Instant | undefined;
  readonly state: EndpointState;
}

interface Posted {
  readonly answer: Answer;
  readonly lease: Instant | undefined;
  /** Whether the post ended early, for others: that says nothing of the endpoint. */
  readonly gaveWay: boolean;
}

/** Where others save the state so often that this sender never could. */
const CROWDED: Delayed = { kind: 'delayed', waitMs: 5_000 };

export function createEndpoint(ports: EndpointPorts): Endpoint {
  const { webhook, endpoints, clock, log } = ports;

  const load = () => loadEndpoint(ports);

  /** @returns whether the change is saved or nothing was to save */
  async function save(state: EndpointState, next: EndpointState): Promise<boolean> {
    return next === state || (await endpoints.save(webhook, next, state.version)) === 'saved';
  }

  let last: Promise<unknown> = Promise.resolve();

  /** This sender's saves follow each other, so they conflict with those of other senders alone. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  async function change(to: (state: EndpointState) => EndpointState): Promise<void> {
    for (let attempt = 0; attempt < ENDPOINT_SAVE_ATTEMPTS; attempt += 1) {
      const state = await load();
      if (await save(state, to(state))) return;
    }
    log.warn('the state of the endpoint could not be saved', { webhook });
  }

  async function requestAdmission(failingSince: Instant | undefined): Promise<Delayed | Admitted> {
    for (let attempt = 0; attempt < ENDPOINT_SAVE_ATTEMPTS; attempt += 1) {
      const [state, now] = [await load(), clock.now()];
      const endsBy = now + ports.attemptMs * MILLISECOND;
      const admission = admit(state, now, { failingSince, endsBy, retriesAtOnce: ports.retriesAtOnce });
      if (!admission.isAdmitted) return { kind: 'delayed', waitMs: admission.waitMs };
      const { lease } = admission;
      if (lease === undefined || (await save(state, addLease(state, now, lease))))
        return { kind: 'admitted', lease, state };
    }
    return CROWDED;
  }

  /** @returns the lease of a post that hangs; undefined if all places of retries are taken */
  async function requestPlace(endsBy: Instant): Promise<Instant | undefined> {
    for (let attempt = 0; attempt < ENDPOINT_SAVE_ATTEMPTS; attempt += 1) {
      const [state, now] = [await load(), clock.now()];
      if (!admitHanging(state, now, ports.retriesAtOnce)) return undefined;
      if (await save(state, addLease(state, now, endsBy))) return endsBy;
    }
    return undefined;
  }

  /**
   * Posts an event that never failed. A post that hangs takes a place of the retries. Where none is free and others
   * wait, it ends, and the event goes on as a retry, which waits without a sender: no number of returns that hang
   * takes all senders from the others.
   */
  async function postFirst(request: PostRequest, state: EndpointState): Promise<Posted> {
    const endsBy = clock.now() + ports.attemptMs * MILLISECOND;
    const [giveWay, answered] = [new AbortController(), new AbortController()];
    const answering = postOnce(ports, request, giveWay.signal).finally(() => answered.abort());
    let lease: Instant | undefined;
    while (lease === undefined && !giveWay.signal.aborted) {
      await clock.sleep(hangsAfter(state, ports.hangsAfterMs), answered.signal);
      if (answered.signal.aborted) break;
      if (ports.othersWait?.() === false) continue;
      // Without a place known, the post keeps its sender.
      lease = await inTurn(() => requestPlace(endsBy)).catch(() => endsBy);
      if (lease === undefined) giveWay.abort();
    }
    const answer = await answering;
    return { answer, lease, gaveWay: giveWay.signal.aborted && 'failure' in answer };
  }

  return {
    load,
    async attempt(request, failingSince) {
      // Before the admission: its lease is only as long as an attempt.
      await ports.untilNextPost?.();
      const admission = await inTurn(() => requestAdmission(failingSince));
      if (admission.kind === 'delayed') return admission;
      const began = clock.now();
      const { answer, lease, gaveWay } =
        admission.lease === undefined
          ? await postFirst(request, admission.state)
          : { answer: await postOnce(ports, request), lease: admission.lease, gaveWay: false };
      const now = clock.now();
      const verdict = judgeAnswer(answer, now);
      const { requestMs } = answer;
      const status = 'status' in answer ? answer.status : answer.failure;
      log.info('posted', { webhook, id: request.id, outcome: verdict.kind, status, requestMs });
      // The answer stands whether it can be noted or not: an accepted event must not count as failed.
      if (gaveWay) return verdict;
      const noted = (state: EndpointState) =>
        note(ports, state, { began, now, tookMs: requestMs }, lease, verdict);
      await inTurn(() => change(noted)).catch((error: unknown) =>
        log.warn('the answer of the endpoint could not be noted', { webhook, error: asError(error) }),
      );
      return verdict;
    },
  };
}

/** A post that throws has failed like any other: if that were not noted, it would be repeated without the schedule. */
async function postOnce(
  { post, webhook, log }: EndpointPorts,
  request: PostRequest,
  signal?: AbortSignal,
): Promise<Answer> {
  try {
    return await post(request, signal);
  } catch (cause) {
    const error = asError(cause);
    log.error('an event could not be posted', { webhook, id: request.id, error });
    return { failure: error.name, requestMs: 0 };
  }
}

function note(
  { random }: EndpointPorts,
  state: EndpointState,
  { began, now, tookMs }: { readonly began: Instant; readonly now: Instant; readonly tookMs: number },
  lease: Instant | undefined,
  verdict: Verdict,
): EndpointState {
  if (verdict.kind === 'accepted') return noteAccepted(state, began, tookMs, lease);
  if (verdict.kind === 'content') return noteAnswered(state, lease);
  const failingFor = now - (state.failingSince ?? now);
  const pauseMs = verdict.isForAll ? retryInMs(failingFor, verdict.askedMs, random()) : undefined;
  return noteFailure(state, now, lease, { reason: verdict.reason, pauseMs });
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
