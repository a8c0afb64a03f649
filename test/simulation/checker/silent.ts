// G8: where the feed begins. A group that was created after its origin is announced as created; one that was created
// before is announced as backfill, or in silence if the baseline is silent and could read it. The origin is the newest
// stamp that the service had as the feed began.
import type { Evidence, SourceEvidence, Time, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { timeOf } from './stamps.ts';
import type { GroupHistory } from './states.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

export function checkSilent(
  { timing, isStrange, failing, everFailing, everUnreadable, hidden, tooLarge }: Evidence,
  { source, baseline, startedAt = 0, origin: found, forgotten, isOnly, heldTimes }: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  if (found === undefined) return [];
  const { stamp: origin, at: beganAt } = found;
  const violations: Violation[] = [];
  const violate = (groupId: number, message: string) =>
    violations.push({ guarantee: 'G8', source, place: `group ${groupId}`, message });
  if (origin > beganAt + MINUTE + timing.clocksOff) violate(0, 'the feed begins more than a minute ahead');
  const mayBeLeft = [failing, everFailing, everUnreadable, hidden].some((groups) => groups.size > 0);
  const newest = newestShown(histories, startedAt - timing.slowestAnswer - timing.longestFreeze, beganAt);
  // Stamps may be shown in whole seconds.
  if (!isStrange && isOnly && !mayBeLeft && newest > origin + SECOND)
    violate(0, 'the feed begins before changes that it was shown');
  for (const { groupId, changes } of published.values()) {
    const isBackfill = changes.map(({ event }) => 'backfill' in event.data);
    if (forgotten.some((each) => each.groupId === groupId)) continue;
    const [first] = changes;
    if (first === undefined || first.kind !== 'return_group' || first.verb !== 'created') continue;
    const isOld = (timeOf(first.event.data.return_group.created_at) ?? origin) <= origin;
    if (isOld && isBackfill[0] !== true)
      violate(groupId, 'was created before the feed began, and is not marked as backfill');
    if (!isOld && isBackfill[0] === true) violate(groupId, 'is new, and is marked as backfill');
    const { documents = [] } = histories.get(groupId) ?? {};
    const shownFrom = documents[0]?.shownFrom ?? Number.POSITIVE_INFINITY;
    const wasShown =
      shownFrom < beganAt - timing.slowestAnswer && documents.every(({ document }) => document);
    const isExcused = isStrange || mayBeLeft || tooLarge.has(groupId) || !isOnly || heldTimes.length > 0;
    if (isOld && baseline === 'silent' && wasShown && !isExcused)
      violate(groupId, 'was there before the feed began, and is announced as created');
  }
  return violations;
}

/** The newest stamp of the states that were shown all the time. */
function newestShown(histories: ReadonlyMap<number, GroupHistory>, from: Time, to: Time): Time {
  const shown = [...histories.values()].flatMap(({ documents }) => {
    const last = documents.findLast(({ shownFrom }) => shownFrom < to);
    return last === undefined || last.shownFrom > from
      ? []
      : (timeOf(String(last.document?.updated_at)) ?? []);
  });
  return Math.max(Number.NEGATIVE_INFINITY, ...shown);
}
