// A hold keeps something back until it is proved, undone or released by an operator.
import * as z from 'zod';
import { instant, type Stored } from '../source/stored-object.ts';

/** One held change, in words. */
const holdSample = z.object({
  groupId: z.int(),
  /** For instance `shipment/77120 status`. */
  what: z.string(),
  before: z.string(),
  after: z.string(),
});

export type HoldSample = Stored<typeof holdSample>;

export const hold = z.object({
  /** Names the hold in `release` and `adopt`. */
  number: z.int(),
  kind: z.enum(['other_store', 'removals', 'mass_change', 'backfill']),
  since: instant,
  /**
   * `holding`; `publishing` after a release, or once the time of a mass change is over; `adopting` if its changes are
   * taken over without events. The last two end with the first whole walk that begins in them.
   */
  phase: z.enum(['holding', 'publishing', 'adopting']),
  /** While it holds: when it last held something back. */
  phaseSince: instant,
  /** How many groups or entities it concerns, at least. */
  count: z.int(),
  samples: z.array(holdSample),
  /** Hash of the address and token that show another store. */
  accessHash: z.string().optional(),
});

export type Hold = Stored<typeof hold>;
export type HoldKind = Hold['kind'];
