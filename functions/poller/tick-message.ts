// A tick as a message of the poll queue: the schedule sends one per source and interval, or one a minute, which
// enqueues the others.
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';
import { parseJson } from '../../shared/parse-json.ts';

const SLOT = 'must be a time in ISO 8601 with its zone, or milliseconds since the epoch';

const tickMessage = z.object({
  source: z.string().regex(SOURCE_NAME, 'must be the name of a source'),
  /** When it was due, in ISO 8601 or in milliseconds since the epoch. */
  slot: z.union(
    [
      z.number().int(SLOT).nonnegative(SLOT),
      z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
    ],
    { error: SLOT },
  ),
  /** Whether it opens a minute, and so enqueues the minute's other ticks. */
  opensMinute: z.boolean().default(false),
});

export type TickMessage = z.output<typeof tickMessage>;

/** @throws Error that says in one line why a message is not a tick; a retry would fail as well */
export function parseTick(body: string): TickMessage {
  const parsed = tickMessage.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'} ${message}`);
  throw new Error(`A message of the poll queue is not a tick: ${problems.join('; ')}.`);
}

/** Seconds from a minute's first tick to each of its other ticks; empty for intervals of a minute or more. */
export function laterTicks(intervalMs: number): number[] {
  const step = Math.max(1, Math.round(intervalMs / 1_000));
  const delays: number[] = [];
  for (let delay = step; delay < 60; delay += step) delays.push(delay);
  return delays;
}
