// G8: a source that is not read completely reports it within some minutes, and reports its recovery.
import type { Arrival, Evidence, SourceEvidence, Time, Violation } from './evidence.ts';

const MINUTE = 60_000_000;

export function checkNeverSilent(evidence: Evidence, source: SourceEvidence): Violation[] {
  const { outages, endedAt, happenings } = evidence;
  const { startedAt, written } = source;
  // A source without a first state can't report anything.
  if (startedAt === undefined) return [];
  const conditions = written.filter(({ event }) => CONDITIONS.has(event.type));
  const last = conditions.at(-1);
  const isDegraded = last?.event.type === 'feed.source_degraded';
  const patience = patienceOf(source);
  const isDegradedBy = (moment: Time) =>
    conditions.some(({ at, event }: Arrival) => event.type === 'feed.source_degraded' && at <= moment);
  const messages: string[] = [];
  for (const { from, to, hasKeptToken } of outages) {
    if (hasKeptToken) continue;
    const noticedBy = firstTick(source, Math.max(from, startedAt) + patience, to);
    if (noticedBy !== undefined && !isDegradedBy(noticedBy))
      messages.push('the service could not be read for long, and nothing reported it');
  }
  for (const [groupId, { from, to }] of source.isOnly ? evidence.tooLarge : []) {
    const noticedBy = firstTick(source, from + patience, to);
    if (noticedBy !== undefined && !isDegradedBy(noticedBy))
      messages.push(`group ${groupId} could not be stored for long, and nothing reported it`);
  }
  const isThere = new Map(happenings.map(({ groupId, document }) => [groupId, document !== undefined]));
  const unreadable = [...evidence.unreadable, ...evidence.failing];
  const hasUnreadable = unreadable.some((groupId) => isThere.get(groupId) === true);
  if (hasUnreadable && !isDegraded)
    messages.push('groups are unreadable or fail, and the source is not degraded');
  // A budget may be too small for a crowd, and a clock that is behind stays so.
  const isExplained = source.reasons.some(
    (code) => code === 'crowd_not_proved' || (code === 'clock' && evidence.stampsBehind > 0),
  );
  if (!hasUnreadable && !isExplained && source.isAtRest && isDegraded && endedAt - last.at > patience)
    messages.push('everything has been readable for long, and the source is still degraded');
  return messages.map((message) => ({ guarantee: 'G8', source: source.source, message }));
}

/** Three rhythms of polls, or five minutes if that is longer, some ticks that other faults prevent, and a slow one. */
function patienceOf({ interval }: SourceEvidence): Time {
  return Math.max(3 * interval, 5 * MINUTE) + 3 * interval + 3 * MINUTE;
}

/**
 * The end of the first tick whose slot and end are after `after`, if it ended before `before`. A tick that froze judges
 * by its slot.
 */
function firstTick({ concluded }: SourceEvidence, after: Time, before: Time): Time | undefined {
  return concluded.find(({ slot, at }) => Math.min(slot, at) > after && at < before)?.at;
}

const CONDITIONS = new Set(['feed.source_degraded', 'feed.source_recovered']);
