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
   * The moment of the earliest answer of the last complete poll, by the feed's clock; null until the baseline is completed.
   * Every change that was made lookback and settle before it, moved its return's stamp and showed within the lookback is
   * in the ledger, except for removals, and returns that changed again before they were read.
   */
  polled_at: instant.nullable(),
  /**
   * The same of the last complete walks that together read all returns; null before the first. Everything that showed
   * twice settle before this was compared, whatever its stamp.
   */
  walked_at: instant.nullable(),
  /** How late a change may show after its stamp and still be found by polls. */
  lookback_ms: z.number(),
  /** How long a read may be stale. */
  settle_ms: z.number(),
  /** Returns, items and shipments that are held, at least: their changes are not in the ledger. */
  held: z.int(),
  /**
   * Returns and times whose rows can't be read or were not shown, until they are: their changes are not in the ledger.
   * While it and `held` are 0, the two moments hold for every return.
   */
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
