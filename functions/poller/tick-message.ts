// The messages of the poller's queues: a tick of one source for the long queue, a shard of sources for the quick queue.
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';
import type { Shard, SourceToPoll } from '../../shared/dispatching/plan-minute.ts';
import { parseJson } from '../../shared/parse-json.ts';
import type { QueueMessage } from '../adapters/message-queue.ts';

const time = z.int().nonnegative('must be milliseconds since the epoch');

const sourceToPoll = z.object({
  source: z.string().regex(SOURCE_NAME, 'must be the name of a source'),
  /** Of its entry; undefined for what an operator sends. */
  version: z.int().positive().optional(),
  alarm: z.boolean().default(false),
  quietAt: time.optional(),
});

const tick = sourceToPoll.extend({
  /** When it was due, in milliseconds since the epoch. */
  slot: time,
  /** Whether it opens a minute, and so enqueues the minute's other ticks. */
  opensMinute: z.boolean().default(false),
});

const shard = z.object({ minute: time, shard: time, slot: time, sources: z.array(sourceToPoll).readonly() });

export type TickMessage = z.output<typeof tick>;
export type ShardMessage = z.output<typeof shard>;
type PollMessage = { readonly tick: TickMessage } | { readonly shard: ShardMessage };

/** @throws Error that says in one line why a message is neither; a retry would fail as well */
export function parsePollMessage(body: string): PollMessage {
  const content = parseJson(body);
  const isShard = typeof content === 'object' && content !== null && 'sources' in content;
  const parsed = isShard
    ? shard.transform((it) => ({ shard: it })).safeParse(content)
    : tick.transform((it) => ({ tick: it })).safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'} ${message}`);
  throw new Error(
    `A message of the poll queue is not a ${isShard ? 'shard' : 'tick'}: ${problems.join('; ')}.`,
  );
}

export function shardMessage(planned: Shard): QueueMessage {
  const delaySeconds = Math.round(planned.slot / 1_000) % 60;
  return { body: JSON.stringify(planned satisfies z.input<typeof shard>), delaySeconds };
}

/** A tick that opens a minute, in the group of its source: so that no source makes others wait. */
export function longMessage(to: SourceToPoll | ShardMessage['sources'][number], slot: number): QueueMessage {
  const body = JSON.stringify({ ...to, slot, opensMinute: true } satisfies z.input<typeof tick>);
  return { body, group: to.source };
}

/** The other ticks of the minute that this one opens. */
export function laterMessages({ source, version, alarm, slot }: TickMessage, intervalMs: number) {
  return laterTicks(intervalMs).map((delaySeconds): QueueMessage => {
    const later = { source, version, alarm, slot: slot + delaySeconds * 1_000 };
    return { body: JSON.stringify(later satisfies z.input<typeof tick>), delaySeconds, group: source };
  });
}

/** Seconds from a minute's first tick to each of its other ticks; empty for intervals of a minute or more. */
export function laterTicks(intervalMs: number): number[] {
  const step = Math.max(1, Math.round(intervalMs / 1_000));
  const delays: number[] = [];
  for (let delay = step; delay < 60; delay += step) delays.push(delay);
  return delays;
}
