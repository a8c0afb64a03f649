// Requests for operators, beside the ticks: one search at a time, within the share of the budget that ticks leave, and
// only while a tick would send requests as well. They do not change the source's state.
import { describeConsequence, describeHold } from '../guarding/describe-hold.ts';
import { findHold } from '../guarding/holds.ts';
import { formatInstant, type Instant } from '../instant.ts';
import { DeadlineReached, SourceRefused, TokenUnavailable } from '../pacing/errors.ts';
import type { Requests } from '../pacing/requests.ts';
import { restLeft } from '../pacing/rest.ts';
import { InvalidBaseUrlError } from '../returns-service/base-url.ts';
import { InvalidTokenError, ReturnsServiceError } from '../returns-service/errors.ts';
import type { SourceState } from '../source/source-state.ts';

/** How long an operator waits for an answer: the poller's function, which sends these requests, has far more time. */
export const ASKING_MS = 20_000;

/** Thrown if the service is not asked, or its answer can't be used; the message says why and what to do. */
export class NotAskedError extends Error {
  override readonly name = 'NotAskedError';
}

/** Whether the error says why there is no answer, in words without a value of the question or of a row. */
export function isAskingFailure(error: unknown): boolean {
  return (
    error instanceof NotAskedError ||
    error instanceof ReturnsServiceError ||
    error instanceof SourceRefused ||
    error instanceof TokenUnavailable ||
    error instanceof InvalidTokenError ||
    error instanceof InvalidBaseUrlError
  );
}

export interface Asking {
  readonly requests: Pick<Requests, 'send'>;
  /** Rows of a page to ask for. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface AskingOptions {
  readonly source: string;
  /** Undefined before the first tick. */
  readonly state: SourceState | undefined;
  readonly requests: Requests;
  /** By the local clock. */
  readonly now: Instant;
  readonly signal?: AbortSignal | undefined;
}

/** @throws NotAskedError if a tick would not ask either: before the first, while the source rests, or is held */
export function beginAsking({ source, state, requests, now, signal }: AskingOptions): Asking {
  if (state === undefined)
    throw new NotAskedError(
      `Source ${source} was never polled, so the service is not asked. Try again after the first poll.`,
    );
  if (restLeft(state.health.restUntil, now) > 0)
    throw new NotAskedError(
      `Source ${source} rests until ${formatInstant(state.health.restUntil)}, because the service refused its ` +
        'token. Correct the token, and try again after the next poll.',
    );
  const hold = findHold(state, 'other_store');
  if (hold !== undefined)
    throw new NotAskedError(
      `Source ${source} is held: ${describeHold(hold)} ${describeConsequence(hold)} See "npx --no returns-feed status".`,
    );
  const inTime: Asking['requests'] = { send: (...request) => withinTime(requests.send(...request)) };
  return { requests: inTime, limit: state.limit, signal };
}

async function withinTime<Sent>(sending: Promise<Sent>): Promise<Sent> {
  try {
    return await sending;
  } catch (error) {
    if (!(error instanceof DeadlineReached)) throw error;
    const why =
      error.cause instanceof Error
        ? error.cause.message
        : 'The budget of the token leaves no room for another request now.';
    // The next request may be known to come too late long before the time is over.
    const limit = `A search may take ${ASKING_MS / 1_000} s`;
    throw new NotAskedError(`${why} ${limit}: try again in a minute.`, { cause: error });
  }
}
