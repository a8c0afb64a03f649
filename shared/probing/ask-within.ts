// Sends the requests of a probe one after the other, with a pause between them, up to a maximum number. A request that
// fails is tried again if that may help: each try counts.
import type { Instant } from '../instant.ts';
import { MILLISECOND } from '../instant.ts';
import type { Clock } from '../ports.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import {
  askedWaitMs,
  ConnectionFailedError,
  ReturnsServiceError,
  ValidationRejectedError,
} from '../returns-service/errors.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';

export interface ProbeAnswer {
  readonly rows: readonly RowReading[];
  readonly bytes: number;
  readonly requestMs: number;
  /** The answer's Date, if it had one. */
  readonly date: Instant | undefined;
  /** By the local clock. */
  readonly receivedAt: Instant;
}

export interface Probing {
  /** @returns `refused` for a 422. @throws RequestsSpent, ReturnsServiceError */
  ask(query: ReturnGroupsQuery): Promise<ProbeAnswer | 'refused'>;
  readonly answers: readonly ProbeAnswer[];
  /** Names of values and fields that are not in the service's document. */
  readonly drift: ReadonlySet<string>;
  readonly requests: number;
}

/** Thrown when a question would exceed the maximum number of requests. */
export class RequestsSpent extends Error {
  override readonly name = 'RequestsSpent';
}

export interface ProbingOptions {
  readonly client: ReturnsServiceClient;
  readonly clock: Clock;
  readonly mostRequests: number;
  readonly pauseMs: number;
}

/** Tries of one request, including the first. */
const MAX_TRIES = 4;
/** The first pause before another try; each further one takes twice as long. */
const RETRY_MS = 1_000;
/** A person waits: a service that asks for more counts as failing. */
const LONGEST_PAUSE_MS = 20_000;

/** @param options `pauseMs` lies between the starts of two requests */
export function askWithin({ client, clock, mostRequests, pauseMs }: ProbingOptions): Probing {
  const answers: ProbeAnswer[] = [];
  const drift = new Set<string>();
  let requests = 0;
  let earliest = clock.elapsed();

  async function send(query: ReturnGroupsQuery): Promise<ProbeAnswer> {
    if (requests >= mostRequests) throw new RequestsSpent('no requests were left');
    const early = earliest - clock.elapsed();
    if (early > 0) await clock.sleep(early / MILLISECOND);
    earliest = clock.elapsed() + pauseMs * MILLISECOND;
    requests += 1;
    const page = await client.listReturnGroups(query);
    for (const finding of page.drift) drift.add(finding);
    const { rows, bytes, requestMs, date } = page;
    const answer = { rows, bytes, requestMs, date, receivedAt: clock.now() };
    answers.push(answer);
    return answer;
  }

  return {
    answers,
    drift,
    get requests() {
      return requests;
    },
    async ask(query) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await send(query);
        } catch (error) {
          if (error instanceof ValidationRejectedError) return 'refused';
          // If the very first request gets no connection, the address is probably wrong: a retry would not help.
          const isHopeless = answers.length === 0 && error instanceof ConnectionFailedError;
          if (isHopeless || !(error instanceof ReturnsServiceError)) throw error;
          const waitMs = waitAfter(error, tries, clock.now());
          if (waitMs === undefined) throw error;
          await clock.sleep(waitMs);
        }
      }
    },
  };
}

/** @returns undefined if another try is of no use */
function waitAfter(error: ReturnsServiceError, tries: number, now: Instant): number | undefined {
  if (!error.retryable || tries >= MAX_TRIES) return undefined;
  const waitMs = askedWaitMs(error, now) ?? RETRY_MS * 2 ** (tries - 1);
  return waitMs <= LONGEST_PAUSE_MS ? waitMs : undefined;
}
