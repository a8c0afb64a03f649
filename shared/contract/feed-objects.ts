// The feed's reports on itself, in the same envelope as a change of an entity.
import * as z from 'zod';

const instant = z.string().meta({ format: 'date-time' });

/** A reason why a source is not read completely. The codes are stable, the messages are for people. */
export const degradation = z.object({ code: z.string(), message: z.string() });

/** `feed.source_degraded` and `feed.source_recovered`. */
export const sourceCondition = z.object({
  type: z.literal('source'),
  name: z.string(),
  /** The problems; empty after the source has recovered. */
  reasons: z.array(degradation),
  /** When the source became degraded, in both events. */
  since: instant,
});

/** `feed.baseline_completed`: every group of the source was read once. */
export const baseline = z.object({
  type: z.literal('baseline'),
  mode: z.enum(['silent', 'emit']),
  groups: z.int(),
  requests: z.int(),
  started_at: instant,
  completed_at: instant,
});

/** `feed.drift_detected`: values and fields that the service's document does not list, each reported once. */
export const drift = z.object({ type: z.literal('drift'), findings: z.array(z.string()) });

/** `feed.source_read`: once a minute, up to which moment everything is read. A newer report replaces it. */
export const sourceRead = z.object({
  type: z.literal('source_read'),
  name: z.string(),
  /**
   * By the service's stamps, as in `updated_at`. Every change that moved its return's stamp to a moment before this,
   * and showed within the lookback, is in the ledger, except for removals, set-aside returns, and returns that changed
   * again before they were read. Null until the baseline is completed.
   */
  read_up_to: instant.nullable(),
  /**
   * By the service's clock: everything that showed at this moment was compared, whatever its stamp. Null until the
   * baseline is completed.
   */
  reconciled_through: instant.nullable(),
  /**
   * Number of holds that stand, or were released and are not published completely; `read_up_to` does not move
   * meanwhile.
   */
  held: z.int(),
  /** Returns that can't be read; changes of these are not in the ledger. */
  set_aside: z.int(),
});

/** `feed.events_skipped`: numbers of a group that this destination will never get. */
export const skippedEvents = z.object({
  type: z.literal('skipped_events'),
  destination: z.string(),
  return_group_id: z.int(),
  from_sequence: z.int(),
  to_sequence: z.int(),
  /** The generation of the numbers, if it is an earlier one than that of the event. */
  generation: z.string().optional(),
  reason: z.string(),
});
