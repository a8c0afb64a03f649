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

/** `feed.source_read`: once a minute, what is read. A newer report replaces it. */
export const sourceRead = z.object({
  type: z.literal('source_read'),
  name: z.string(),
  /**
   * When the last complete poll began, by the feed's clock; null until the baseline is completed. Every change that moved its return's
   * stamp to a moment before this less lookback and settle, and showed within the lookback, is in the ledger, except
   * for removals, set-aside returns, and returns that changed again before they were read.
   */
  polled_at: instant.nullable(),
  /**
   * When the last complete walks began that together read all returns; null before the first. Everything that showed
   * twice settle before this was compared, whatever its stamp.
   */
  walked_at: instant.nullable(),
  /** How late a change may show after its stamp and still be found by polls. */
  lookback_ms: z.number(),
  /** How long a read may be stale. */
  settle_ms: z.number(),
  /** Number of holds: what they keep back is not in the ledger. */
  held: z.int(),
  /** Returns that can't be read: their changes are not in the ledger. */
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
