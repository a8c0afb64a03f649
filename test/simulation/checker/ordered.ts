// G3: a group's events are numbered 1, 2, 3 …, and first arrive at the queue in that order.
import type { SourceEvidence, Violation } from './evidence.ts';
import { skippedIn } from './skipped.ts';

export function checkOrdered(source: SourceEvidence): Violation[] {
  const skipped = skippedIn(source);
  const violations: Violation[] = [];
  const numbers = new Map<string, { last: number; seen: Set<number> }>();
  for (const { event } of source.queue) {
    const place = `${event.partitionkey} of generation ${event.data.generation}`;
    const { sequence } = event.data;
    const group = numbers.get(place) ?? { last: 0, seen: new Set<number>() };
    numbers.set(place, group);
    if (group.seen.has(sequence)) continue;
    group.seen.add(sequence);
    // A relay may have been sending the event when it was skipped.
    if (sequence < group.last && skipped('queue', event)) continue;
    while (skipped('queue', event, group.last + 1) && group.last + 1 < sequence) group.last += 1;
    // Each `feed.source_read` makes the previous one stale, so only the newest is sent. A slow relay may send an older one
    // after another relay has sent a newer one.
    const isRead = event.type === 'feed.source_read';
    const isNext = isRead ? sequence > group.last || source.relaysMayLag : sequence === group.last + 1;
    if (!isNext) {
      const message = `number ${sequence} reached the queue first after number ${group.last}`;
      violations.push({ guarantee: 'G3', source: source.source, place, message });
    }
    group.last = sequence;
    if (Number(event.sequence) === sequence && event.sequence.length >= 10) continue;
    const message = `number ${sequence} is given as ${event.sequence}`;
    violations.push({ guarantee: 'G3', source: source.source, place, message });
  }
  return violations;
}
