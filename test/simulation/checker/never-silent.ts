// G8: a source that is not being read completely shows within three missed polls or five minutes, whichever is
// longer; and once all is well again, it says so.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';

const MINUTE = 60_000_000;

/** Some more polls: the one that has to notice, the one that was under way, and those that fell to other faults. */
export function checkNeverSilent(evidence: Evidence, source: SourceEvidence): Violation[] {
  const { outage, unreadable, endedAt } = evidence;
  const conditions = source.written.filter(({ event }) => CONDITIONS.has(event.type));
  const last = conditions.at(-1);
  const isDegraded = last?.event.type === 'feed.source_degraded';
  const violate = (message: string): Violation => ({ guarantee: 'G8', source: source.source, message });
  const violations: Violation[] = [];

  const patience = Math.max(3 * source.interval, 5 * MINUTE) + 4 * source.interval + MINUTE;
  const begun = Math.max(outage?.from ?? 0, source.startedAt ?? Number.POSITIVE_INFINITY);
  if (outage !== undefined && outage.to - begun > patience) {
    const isTold = conditions.some(
      ({ at, event }) => event.type.endsWith('degraded') && at <= begun + patience,
    );
    if (!isTold) violations.push(violate('the service could not be read for long, and nothing told of it'));
  }
  const hasUnreadable = unreadable.size > 0;
  if (hasUnreadable && !isDegraded)
    violations.push(violate('groups can not be read, and the source seems well'));
  if (!hasUnreadable && isDegraded && endedAt - last.at > patience) {
    violations.push(violate('all is well for long, and the source still seems degraded'));
  }
  return violations;
}

const CONDITIONS = new Set(['feed.source_degraded', 'feed.source_recovered']);
