// G8: a silent baseline is silent. What was created before the feed's start is never announced as created, whenever it is
// first seen, unless it was removed or forgotten and came back. If the baseline emits, it is marked as backfill, and
// nothing else is.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { timeOf } from './stamps.ts';

export function checkSilent(
  { timing, stampsBehind }: Evidence,
  { source, baseline, startedAt, forgotten }: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
): Violation[] {
  if (startedAt === undefined) return [];
  const violations: Violation[] = [];
  for (const { groupId, changes } of published.values()) {
    const violate = (message: string) =>
      violations.push({ guarantee: 'G8', source, place: `group ${groupId}`, message });
    const isBackfill = changes.map(({ event }) => 'backfill' in event.data);
    if (baseline === 'silent' && isBackfill.includes(true)) violate('is backfill of a silent baseline');
    if (forgotten.some((each) => each.groupId === groupId)) continue;
    const [first] = changes;
    if (first === undefined || first.kind !== 'return_group' || first.verb !== 'created') continue;
    const createdAt = (timeOf(first.event.data.return_group.created_at) ?? startedAt) + stampsBehind;
    // A tick that froze, or waited for its store, saves a first state with the time of its start.
    const slack = timing.clocksOff + timing.longestExchange + timing.slowestCall;
    const isOld = createdAt < startedAt - slack;
    if (isOld && baseline === 'silent')
      violate('was created before the feed began, and is announced as created');
    if (isOld && isBackfill[0] !== true)
      violate('was created before the feed began, and is not marked as backfill');
    if (createdAt > startedAt + slack && isBackfill[0] === true) violate('is new, and is marked as backfill');
  }
  return violations;
}
