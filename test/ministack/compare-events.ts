// Comparisons of the events that subscribers received.
import { isDeepStrictEqual } from 'node:util';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { ReturnChanged } from '../../shared/contract/return-message.ts';
import type { QueueReader } from './queue-reader.ts';

/** The entity of an event. */
export function partOf({ data: { object } }: FeedEvent): string {
  return `${object.type} ${'id' in object ? object.id : ''}`;
}

/** The ids of events that only one of the two has, or both with different content. */
export function differences(some: readonly FeedEvent[], others: readonly FeedEvent[]): string[] {
  const [one, other] = [some, others].map((events) => new Map(events.map((event) => [event.id, event])));
  const ids = new Set([...one!.keys(), ...other!.keys()]);
  return [...ids].filter((id) => !isDeepStrictEqual(one!.get(id), other!.get(id)));
}

/** The ids of events whose number is not the next of their return. */
export function outOfOrder(events: readonly FeedEvent[]): string[] {
  const last = new Map<string, number>();
  return events.flatMap(({ id, partitionkey, data: { sequence } }) => {
    const expected = (last.get(partitionkey) ?? 0) + 1;
    last.set(partitionkey, sequence);
    return sequence === expected ? [] : [id];
  });
}

/** The highest number of each return. */
export function newestNumbers(
  messages: readonly Pick<FeedEvent | ReturnChanged, 'partitionkey' | 'data'>[],
): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { partitionkey, data } of messages)
    newest.set(partitionkey, Math.max(data.sequence, newest.get(partitionkey) ?? 0));
  return newest;
}

/** Messages without their return as the message group, or without the event's id for repeats to be recognised by. */
export function mislabelled({ messages, labels }: QueueReader<FeedEvent>): string[] {
  return messages.flatMap(({ id, partitionkey, replayid }, at) => {
    const { group, deduplication } = labels[at]!;
    const expected = replayid === undefined ? id : `${id}_${replayid}`;
    return [
      ...(group === partitionkey ? [] : [`${id}: group ${group}`]),
      ...(deduplication === expected ? [] : [`${id}: deduplication ${deduplication}`]),
    ];
  });
}

/** The ids of each return's events, in their order. */
export function idsByReturn(events: readonly FeedEvent[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, partitionkey } of events) ids.set(partitionkey, [...(ids.get(partitionkey) ?? []), id]);
  return ids;
}

/** A repeat has the same content. */
export function withoutRepeats(events: readonly FeedEvent[]): FeedEvent[] {
  const first = new Map<string, FeedEvent>();
  return events.filter((event) => {
    const before = first.get(event.id);
    if (before === undefined) first.set(event.id, event);
    return before === undefined || !isDeepStrictEqual(before, event);
  });
}
