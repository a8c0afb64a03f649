// The common part of the local event source mappings. Like Lambda's, they read a queue or a stream, invoke a handler
// with the event that Lambda would pass, and retry what it reports as failed.
import * as z from 'zod';

/** A running loop that reads and invokes a handler. */
export interface EventSourceMapping {
  /**
   * Resolves once the handler has processed everything that had arrived by the time of the call.
   *
   * @throws Error if the mapping is stopped before that
   */
  idle(): Promise<void>;
  /** Stops reading. Resolves when the running invocation has ended. May be called again. */
  stop(): Promise<void>;
}

const responseSchema = z
  .object({
    batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish(),
  })
  .nullish();

/**
 * The failed records of a handler's response, as Lambda reads it with ReportBatchItemFailures: no response or an empty
 * list means complete success, an invalid response complete failure.
 *
 * @param known the identifiers of the batch's records
 * @returns the identifiers of the failed records
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function failedIdentifiers(response: unknown, known: ReadonlySet<string>): ReadonlySet<string> {
  const parsed = responseSchema.safeParse(response);
  if (!parsed.success) return known;
  const failed = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((identifier) => known.has(identifier)) ? new Set(failed) : known;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Milliseconds to wait before the next attempt. @param failures in a row, 1 or more */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** The error of `idle` after a stop. */
export function stoppedBeforeIdle(): Error {
  return new Error('The event source mapping was stopped before it was idle.');
}
