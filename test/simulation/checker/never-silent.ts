// G8: a source that is not read completely reports it within three missed polls or five minutes, whichever is longer,
// and reports its recovery.
import type { Arrival, Evidence, SourceEvidence, Time, Violation } from './evidence.ts';
import { stoppedFrom } from './lasting-faults.ts';
import { LONG_TICK, patienceOf } from './patience.ts';

const MINUTE = 60_000_000;

export function checkNeverSilent(evidence: Evidence, source: SourceEvidence): Violation[] {
  const { endedAt } = evidence;
  const conditions = source.written.filter(({ event }) => CONDITIONS.has(event.type));
  const last = conditions.at(-1);
  const isDegraded = last?.event.type === 'feed.source_degraded';
  const violate = (message: string): Violation => ({ guarantee: 'G8', source: source.source, message });
  const violations: Violation[] = [];

  const patience = patienceOf(source.interval);
  const noticedBy = whenNoticed(evidence, source, patience);
  if (noticedBy !== undefined && !conditions.some(isDegradedBy(noticedBy))) {
    violations.push(violate('the service could not be read for long, and nothing reported it'));
  }
  for (const [groupId, { from, to }] of source.isOnly ? evidence.tooLarge : []) {
    const isReported = conditions.some(isDegradedBy(to));
    if (to - from > patience + LONG_TICK && !isReported)
      violations.push(violate(`group ${groupId} could not be stored for long, and nothing reported it`));
  }
  const stopped = stoppedFrom(evidence);
  const { to = endedAt } = evidence.lasting ?? {};
  const stoppedBy =
    stopped === undefined || source.startedAt === undefined
      ? undefined
      : firstTick(source, tickedFrom(source, Math.max(stopped, source.startedAt)) + patience + LONG_TICK, to);
  if (stoppedBy !== undefined && !conditions.some(isDegradedBy(stoppedBy))) {
    const { shape, what } = evidence.lasting ?? {};
    violations.push(violate(`requests fail for ever (${shape}: ${what}), and nothing reported it`));
  }
  const isForEver = evidence.lasting !== undefined && evidence.lasting.to === undefined;
  // A source without a first state can't report anything.
  if (source.startedAt === undefined) return violations;
  const { unreadableInTheEnd, promises } = evidence;
  const hasUnreadable = isAnyUnreadable(evidence);
  // Without walks nothing notices that an unreadable group was removed.
  const mayHaveUnreadable = promises.findsRemovals ? hasUnreadable : unreadableInTheEnd.size > 0;
  if (hasUnreadable && !isDegraded)
    violations.push(violate('groups are unreadable, and the source is not degraded'));
  const mayStand = mayHaveUnreadable || isForEver || !promises.keepsUp || !promises.walksInTime;
  if (!mayStand && isDegraded && endedAt - last.at > patience) {
    violations.push(violate('everything has been readable for long, and the source is still degraded'));
  }
  return violations;
}

/** Returns whether an unreadable group exists in the end. */
function isAnyUnreadable({ unreadableInTheEnd, happenings }: Evidence): boolean {
  const isThere = new Map(happenings.map(({ groupId, document }) => [groupId, document !== undefined]));
  return [...unreadableInTheEnd].some((groupId) => isThere.get(groupId) === true);
}

/**
 * When the first tick ended that must have reported the outage. Undefined where none was that long, or where every
 * tick was cut off: only the stack's alarm notices that.
 */
function whenNoticed({ outage }: Evidence, source: SourceEvidence, patience: number): number | undefined {
  if (outage === undefined || source.startedAt === undefined) return undefined;
  const begun = Math.max(outage.from, source.startedAt);
  return firstTick(source, begun + patience, outage.to);
}

/**
 * The end of the first tick whose slot and end are after `after`, if it ended before `before`. A tick that froze judges
 * by its slot, and a slot may be ahead.
 */
function firstTick({ concluded }: SourceEvidence, after: Time, before: Time): Time | undefined {
  return concluded.find(({ slot, at }) => Math.min(slot, at) > after && at < before)?.at;
}

/** Only ticks can notice an outage, so the time counts from the first tick after the last long pause. */
function tickedFrom({ concluded, startedAt }: SourceEvidence, from: Time): Time {
  // The pause may have begun before.
  let last = startedAt ?? from;
  let begun = from;
  for (const { at } of concluded) {
    if (at > from && at - last > LONG_PAUSE) begun = at;
    last = at;
  }
  return begun;
}

const LONG_PAUSE = 3 * MINUTE;

function isDegradedBy(moment: Time): (arrival: Arrival) => boolean {
  return ({ at, event }) => event.type === 'feed.source_degraded' && at <= moment;
}

const CONDITIONS = new Set(['feed.source_degraded', 'feed.source_recovered']);
