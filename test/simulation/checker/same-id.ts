// G4: all copies of an event have the same content, and no two events share an id.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Arrival, SourceEvidence, Violation } from './evidence.ts';

export function checkSameId(source: SourceEvidence): Violation[] {
  const known = new Map<string, FeedEvent>();
  const violations: Violation[] = [];
  const violate = (place: string, message: string) =>
    violations.push({ guarantee: 'G4', source: source.source, place, message });

  for (const { event } of source.written) {
    if (known.has(event.id)) violate(event.id, 'was written twice');
    known.set(event.id, event);
    if (event.id.length > 80 || !/^[A-Za-z0-9_-]+$/.test(event.id))
      violate(event.id, 'is an id that is not safe everywhere: at most 80 letters, digits, _ and -');
    const { generation, sequence } = event.data;
    if (!event.id.endsWith(`_${generation}_${event.partitionkey.split('/')[1]}_${sequence}`)) {
      violate(event.id, 'does not name its generation, group and number');
    }
  }
  const arrivals: readonly Arrival[] = [...source.queue, ...source.bus];
  for (const { event } of arrivals) {
    const first = known.get(event.id);
    if (first === undefined) violate(event.id, 'arrived and was never written');
    else if (first !== event && JSON.stringify(first) !== JSON.stringify({ ...event, replayid: undefined }))
      violate(event.id, 'has two contents');
  }
  return violations;
}
