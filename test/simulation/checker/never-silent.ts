// G8: a source that is not being read completely shows within three missed polls or five minutes, whichever is
// longer; and once all is well again, it says so.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';

const MINUTE = 60_000_000;

/** Some more polls: the one that has to notice, the one that was under way, and those that fell to other faults. */
export function checkNeverSilent(evidence: Evidence, source: SourceEvidence): Violation[] {
  const { endedAt } = evidence;
  const conditions = source.written.filter(({ event }) => CONDITIONS.has(event.type));
  const last = conditions.at(-1);
  const isDegraded = last?.event.type === 'feed.source_degraded';
  const violate = (message: string): Violation => ({ guarantee: 'G8', source: source.source, message });
  const violations: Violation[] = [];

  const patience = Math.max(3 * source.interval, 5 * MINUTE) + 2 * source.interval + MINUTE;
  const noticedBy = whenNoticed(evidence, source, patience);
  const isTold = conditions.some(
    ({ at, event }) => event.type.endsWith('degraded') && at <= (noticedBy ?? 0),
  );
  if (noticedBy !== undefined && !isTold) {
    violations.push(violate('the service could not be read for long, and nothing told of it'));
  }
  const hasUnreadable = isAnyUnreadable(evidence);
  if (hasUnreadable && !isDegraded)
    violations.push(violate('groups can not be read, and the source seems well'));
  if (!hasUnreadable && isDegraded && endedAt - last.at > patience) {
    violations.push(violate('all is well for long, and the source still seems degraded'));
  }
  return violations;
}

/** Whether there is a group in the end that nobody can read. */
function isAnyUnreadable({ unreadable, happenings }: Evidence): boolean {
  const isThere = new Map(happenings.map(({ groupId, document }) => [groupId, document !== undefined]));
  return [...unreadable].some((groupId) => isThere.get(groupId) === true);
}

/**
 * When the first tick came to its end that must have told of an outage; undefined where none was so long, or where
 * each tick was cut off: then it is for an alarm that needs no code of ours.
 */
function whenNoticed({ outage }: Evidence, source: SourceEvidence, patience: number): number | undefined {
  if (outage === undefined || source.startedAt === undefined) return undefined;
  const begun = Math.max(outage.from, source.startedAt);
  return source.concludedAt.find((at) => at > begun + patience && at < outage.to);
}

const CONDITIONS = new Set(['feed.source_degraded', 'feed.source_recovered']);
