// What Lambda's event source mappings do, here: they read a queue or a stream, invoke a handler with the event that
// Lambda would make, and go on from what it reports as failed.
import * as z from 'zod';

/** Ends a handler's event loop of reading and invoking, or waits for its work. */
export interface EventSourceMapping {
  /**
   * Resolves once everything that was in at the time of the call is through the handler.
   *
   * @throws Error when the mapping is stopped before that.
   */
  idle(): Promise<void>;
  /** Reads no more, lets a running invocation end, and resolves then. May be called again. */
  stop(): Promise<void>;
}

const responseSchema = z
  .object({
    batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish(),
  })
  .nullish();

/**
 * Reads what a handler answered, as Lambda does with ReportBatchItemFailures: nothing or an empty list is complete
 * success, what can't be understood is complete failure.
 *
 * @param known the identifiers of the batch's records
 * @returns the identifiers that failed
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

/** How long to wait before another try; `failures` in a row, 1 or more. */
export function pauseAfter(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

/** What `idle` rejects with when it can no longer come true. */
export function stoppedBeforeIdle(): Error {
  return new Error('The event source mapping was stopped before everything was through.');
}
