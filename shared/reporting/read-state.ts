// The state behind the claims of `feed.source_read`, as of the last tick that ended; see source-read.ts.
import * as z from 'zod';
import { sourceRead } from '../contract/feed-objects.ts';
import { instant, maybe, type Stored, storedObject } from '../source/stored-object.ts';

/** A `feed.source_read` that is not in the ledger yet. */
const readReport = z.object({ object: sourceRead, time: instant });

export type ReadReport = Stored<typeof readReport>;

export const read = storedObject({
  /** By the service's stamps; undefined until the baseline is completed. Stands still while anything is held. */
  upTo: maybe(instant),
  /** By the service's clock; undefined until the baseline is completed. */
  reconciledThrough: maybe(instant),
  /** When the first request of the walk over all groups was sent; undefined before its first answer. */
  walkedFrom: maybe(instant),
  /** Whether this walk leaves out a difference that was first read at an unknown time; see `noteOvertaken`. */
  isOvertaken: z.boolean(),
  /** Whether a newer state was shown since the walk over all groups began, and not saved. */
  leftNewer: z.boolean().default(true),
  /** When a poll last read a change that a hold kept back, by the service's clock. Only walks publish such changes. */
  keptBackAt: maybe(instant),
  /** The number of the last `feed.source_read`: the minute of its slot, or one more than the one before. */
  sequence: z.int(),
  /** The last one, until it was appended to the ledger. */
  report: maybe(readReport),
  /** The slot, as an instant, of the tick that reported it last; undefined before the first report. */
  reportedAt: maybe(instant),
});

export type ReadState = Stored<typeof read>;

export const NOTHING_READ: ReadState = {
  upTo: undefined,
  reconciledThrough: undefined,
  walkedFrom: undefined,
  isOvertaken: false,
  leftNewer: false,
  keptBackAt: undefined,
  sequence: 0,
  report: undefined,
  reportedAt: undefined,
};
