// Derives a source's status for operators from its state. Pure. format-status.ts makes the text, except for sentences
// that the feed's own events also use.
import { describeConsequence, describeHold, holdCommand } from '../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../shared/guarding/hold.ts';
import { isAdoptable } from '../../shared/guarding/release-hold.ts';
import { knownGroups } from '../../shared/guarding/removals.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { claimsOf } from '../../shared/position/claims.ts';
import { leftOutUntil } from '../../shared/position/places.ts';
import { FEWEST_ROWS } from '../../shared/reading/room.ts';
import { behindSince } from '../../shared/reporting/health.ts';
import { isJoined, lateRhythm, OLDER_RHYTHM, promisedRhythm } from '../../shared/source/rhythms.ts';
import { KEPT_LANES, type KeptLane, type SourceState } from '../../shared/source/source-state.ts';
import { formatKnownInstant } from './format-known-instant.ts';
import { type Circumstances, isHoldReason, nextStepsOf, type Verdict, whyStopped } from './judge-source.ts';

/** Times are ISO 8601, durations milliseconds; null is unknown, or not known yet. */
export type SourceStatus = ReturnType<typeof describeSource>;
export type HoldStatus = SourceStatus['held'][number];
export type LaneStatus = SourceStatus['lanes'][number];

/** The known facts besides the state; only the time and the flags are necessary. */
export type StatusCircumstances = Pick<Circumstances, 'now' | 'flags'> &
  Partial<Pick<Circumstances, 'isLocal' | 'poller' | 'given'>> & {
    /** The identity of the tables that hold the state; undefined if unknown. */
    readonly place?: string | undefined;
    /** Whether it is no longer configured. @default false */
    readonly isRemoved?: boolean;
  };

export function describeSource(state: SourceState, known: StatusCircumstances) {
  const { now, flags, place, poller, given, isLocal = false, isRemoved = false } = known;
  const { health, pace, lanes } = state;
  const isRestored = place !== undefined && place !== state.mintedIn;
  const circumstances: Circumstances = { now, flags, isLocal, isRestored, poller, given };
  // Nobody has to mend a source that was removed.
  const stopped = isRemoved ? [] : whyStopped(state, circumstances);
  // `held` describes the holds, with the commands that end each.
  const conditions = isRemoved ? [] : health.reasons.filter((reason) => !isHoldReason(reason));
  const reasons = [...stopped, ...conditions];
  const held = (isRemoved ? [] : state.holds).map((hold) => describeHeld(hold, state.source, flags));
  const isFailing = reasons.length > 0 || health.failure !== undefined || health.restUntil > now;
  const verdict: Verdict = isRemoved
    ? 'removed'
    : held.some(({ phase }) => phase === 'holding')
      ? 'held'
      : stopped.length > 0
        ? 'stopped'
        : isFailing
          ? 'failing'
          : 'well';
  const lastTick = state.lastSlot === 0 ? undefined : state.lastSlot * MILLISECOND;
  const { polledAt, walkedAt } = claimsOf(state);
  return {
    source: state.source,
    generation: state.generation,
    verdict,
    /** Whether it is well: read completely, apart from an unfinished baseline. */
    isHealthy: verdict === 'well',
    held,
    /** Why it is not read completely; empty if it is. */
    reasons,
    /** Why the last ticks failed, the first of them, and how many; null after one that did not. */
    lastFailure:
      health.failure === undefined ? null : { ...health.failure, since: formatInstant(health.failure.since) },
    /** The next steps, besides releasing holds. */
    nextSteps: nextStepsOf(state, verdict, stopped, circumstances),
    // The next tick reports the end of a condition that is over.
    degradedSince: held.length + conditions.length === 0 ? null : formatKnownInstant(health.degradedSince),
    restsUntil: health.restUntil > now && !isRemoved ? formatInstant(health.restUntil) : null,
    /** The starts of the last complete poll and of the last walks over all groups, as `feed.source_read` reports them. */
    polledAt: isRestored ? null : formatKnownInstant(polledAt),
    walkedAt: isRestored ? null : formatKnownInstant(walkedAt),
    /** Changes that were made before it, and moved their return's timestamp, are in the ledger. */
    readUpTo:
      isRestored || polledAt === undefined || pace === undefined
        ? null
        : formatInstant(polledAt - (pace.lookbackMs + pace.settleMs) * MILLISECOND),
    /** The stamp from which the next complete poll reads. */
    cursor: formatInstant(state.position.cursor),
    /** How long the source has not been read completely; 0 if it is. */
    behindMs: milliseconds(now - behindSince(state, now)),
    lookbackMs: pace?.lookbackMs ?? null,
    /** Between polls of the newest changes. Complete polls are rarer: see the lane `late`. */
    intervalMs: pace?.intervalMs ?? null,
    lastTickAt: formatKnownInstant(lastTick),
    sinceLastTickMs: lastTick === undefined ? null : milliseconds(now - lastTick),
    /** The process that polls, on this machine; null if there is none, or it is not known. */
    polledBy: poller?.pid ?? null,
    baseline: {
      status: state.baselineAt === undefined ? ('running' as const) : ('completed' as const),
      mode: state.mode,
      /** Groups read so far; once it is completed, those that the last walks read. */
      groups: state.baselineAt === undefined ? (lanes.recent.round?.groups ?? 0) : knownGroups(state),
      completedAt: formatKnownInstant(state.baselineAt),
    },
    lanes: describeLanes(state),
    /** Times whose rows make every answer with them fail: they are left out for a while, and then asked for again. */
    places: state.position.places
      .filter(({ isLeftOut }) => isLeftOut)
      .map((place) => ({
        axis: place.axis,
        ...{ from: formatInstant(place.from), to: formatInstant(place.to) },
        until: formatInstant(leftOutUntil(place)),
        reason: place.reason,
      })),
    setAside: state.setAside.map(({ groupId, reason, since }) => ({
      returnGroupId: groupId ?? null,
      reason,
      since: formatInstant(since),
    })),
    service: {
      /** Rows that the feed asks for, and the most rows of any answer; null if unknown. */
      pageLimit: state.limit,
      longestPage: longestPage(state),
      stampsHaveZone: state.stampForm.zoned,
      stampsPrecision: state.stampForm.digits,
    },
  };
}

function describeHeld(hold: Hold, source: string, flags: string) {
  const { number, kind, phase, count, samples } = hold;
  const isHolding = phase === 'holding';
  return {
    ...{ number, kind, phase },
    since: formatInstant(hold.since),
    /** The return groups or entities that are held, and a few of them. */
    ...{ count, samples },
    message: describeHold(hold),
    consequence: describeConsequence(hold),
    /** The commands that end it; null if it does not end by them. */
    release: isHolding ? holdCommand('release', hold, source, flags) : null,
    adopt: isHolding && isAdoptable(hold) ? holdCommand('adopt', hold, source, flags) : null,
  };
}

/** Each lane whose rounds survive ticks; `older` only where it has a walk of its own. */
function describeLanes(state: SourceState) {
  const { pace, lanes } = state;
  const rhythms: Readonly<Record<KeptLane, number | undefined>> = {
    late: pace && lateRhythm(pace, lanes.late.requests),
    recent: pace && promisedRhythm('recent', pace),
    older: OLDER_RHYTHM,
  };
  const joined = pace !== undefined && isJoined(state, pace);
  return KEPT_LANES.filter((name) => !(joined && name === 'older')).map((name) => {
    const { dueAt, round, endedAt } = lanes[name];
    const readAt = state.position.readAt[name];
    const rhythm = rhythms[name];
    return {
      lane: name,
      /** Whether it reads all groups, older ones as well. */
      isWhole: joined && name === 'recent',
      everyMs: rhythm === undefined ? null : milliseconds(rhythm),
      /** The last complete round. */
      startedAt: formatKnownInstant(readAt),
      endedAt: readAt === undefined ? null : formatInstant(endedAt),
      nextAt: round === undefined ? formatInstant(dueAt) : null,
      /** The round under way; null if there is none. */
      underWay:
        round === undefined
          ? null
          : {
              since: formatInstant(round.startedAt),
              requests: round.requests,
              groups: round.groups,
              waitingRanges: round.stack.length,
            },
    };
  });
}

function longestPage({ room }: SourceState): number | null {
  const most = Math.max(room.rows, room.planned ?? 0);
  return most < FEWEST_ROWS ? null : most;
}

function milliseconds(duration: number): number {
  return Math.round(duration / MILLISECOND);
}
