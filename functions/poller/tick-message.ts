// A tick as the poll queue carries it: from the schedule, one a minute and source, or enqueued by such a one.
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';

export const tickMessage = z.object({
  source: z.string().regex(SOURCE_NAME),
  /** When it was due, in ISO 8601 or in milliseconds since the epoch. */
  slot: z.union([
    z.number().int().nonnegative(),
    z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  ]),
  /** Whether it stands for a whole minute, of which it enqueues the other ticks. */
  opensMinute: z.boolean().default(false),
});

/** Seconds after a minute's first tick at which its others are due; none for intervals of a minute and more. */
export function laterTicks(intervalMs: number): number[] {
  const step = Math.max(1, Math.round(intervalMs / 1_000));
  const delays: number[] = [];
  for (let delay = step; delay < 60; delay += step) delays.push(delay);
  return delays;
}
