// G8: a silent baseline is silent. What was created before the feed's start is never announced as created, whenever it is
// first seen, unless it was removed or forgotten and came back.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { timeOf } from './stamps.ts';

export function checkSilent(
  { timing }: Evidence,
  { source, baseline, startedAt, forgotten }: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
): Violation[] {
  if (baseline !== 'silent' || startedAt === undefined) return [];
  const violations: Violation[] = [];
  for (const { groupId, changes } of published.values()) {
    if (forgotten.some((each) => each.groupId === groupId)) continue;
    const [first] = changes;
    if (first === undefined || first.kind !== 'return_group' || first.verb !== 'created') continue;
    const createdAt = timeOf(first.event.data.return_group.created_at) ?? startedAt;
    // A tick that froze saves a first state with the time of its start.
    if (createdAt >= startedAt - timing.clocksOff - timing.longestExchange) continue;
    const message = 'was created before the feed began, and is announced as created';
    violations.push({ guarantee: 'G8', source, place: `group ${groupId}`, message });
  }
  return violations;
}
