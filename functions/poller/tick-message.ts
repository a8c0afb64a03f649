// A tick as the poll queue carries it: from the schedule, one a minute and source, or enqueued by such a one.
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';

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
  /** Whether it stands for a whole minute, of which it enqueues the other ticks. */
  opensMinute: z.boolean().default(false),
});

export type TickMessage = z.output<typeof tickMessage>;

/** @throws Error that says in one line why a message of the poll queue is no tick; it is none at the next try either */
export function parseTick(body: string): TickMessage {
  const parsed = tickMessage.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'} ${message}`);
  throw new Error(`A message of the poll queue is no tick: ${problems.join('; ')}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds after a minute's first tick at which its others are due; none for intervals of a minute and more. */
export function laterTicks(intervalMs: number): number[] {
  const step = Math.max(1, Math.round(intervalMs / 1_000));
  const delays: number[] = [];
  for (let delay = step; delay < 60; delay += step) delays.push(delay);
  return delays;
}
