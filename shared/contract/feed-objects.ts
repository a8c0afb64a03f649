// The feed's reports on itself, in the same envelope as a change of an entity.
import * as z from 'zod';

const instant = z.string().meta({ format: 'date-time' });

/** A reason why a source is not read completely. The codes are stable, the messages are for people. */
export const degradation = z.object({ code: z.string(), message: z.string() });

/** `feed.source_degraded` and `feed.source_recovered`. */
export const sourceCondition = z.object({
  type: z.literal('source'),
  name: z.string(),
  /** What is wrong; empty after the source has recovered. */
  reasons: z.array(degradation),
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

/** `feed.events_skipped`: numbers of a group that this destination will never get. */
export const skippedEvents = z.object({
  type: z.literal('skipped_events'),
  destination: z.string(),
  return_group_id: z.int(),
  from_sequence: z.int(),
  to_sequence: z.int(),
  reason: z.string(),
});
