// Derives a source's status for operators from its state: one verdict, why, and what to do. Pure. format-status.ts makes
// the text, except for sentences that the feed's own events also use.

import { describeConsequence, describeHold, holdCommand } from '../../shared/guarding/describe-hold.ts';
import { type Hold, hold } from '../../shared/guarding/hold.ts';
import { isAdoptable } from '../../shared/guarding/release-hold.ts';
import { knownGroups } from '../../shared/guarding/removals.ts';
import { formatInstant, type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { restLeft } from '../../shared/pacing/rest.ts';
import { claimsOf } from '../../shared/position/claims.ts';
import { leftOutUntil } from '../../shared/position/places.ts';
import { FEWEST_ROWS } from '../../shared/reading/room.ts';
import { behindSince } from '../../shared/reporting/health.ts';
import { isMoved } from '../../shared/source/restored-state.ts';
import { isJoined, lateRhythm, OLDER_RHYTHM, promisedRhythm } from '../../shared/source/rhythms.ts';
import { KEPT_LANES, type KeptLane, type SourceState } from '../../shared/source/source-state.ts';
import { toWords } from '../cli/given-options.ts';
import { formatKnownInstant } from '../cli/moments.ts';
import { shellWord } from '../cli/shell-word.ts';
import type { Poller } from '../place/open-feed.ts';
import type { GivenOption } from '../store/documents.ts';

/** Times are ISO 8601, durations milliseconds; null is unknown, or not known yet. */
export type SourceStatus = ReturnType<typeof describeSource>;
export type HoldStatus = SourceStatus['held'][number];
export type LaneStatus = SourceStatus['lanes'][number];

/** The known facts besides the state; only the time and the flags are necessary. */
export type StatusCircumstances = Pick<Circumstances, 'now' | 'flags'> &
  Partial<Pick<Circumstances, 'isLocal' | 'poller' | 'given'>> & {
    /** The identity of the tables that hold the state; undefined if unknown. */
    readonly place?: string | undefined;
    /** Whether operators have ended or paused its polls. */
    readonly rests?: 'removed' | 'paused' | undefined;
  };

export function describeSource(state: SourceState, known: StatusCircumstances) {
  const { now, flags, place, poller, given, isLocal = false } = known;
  const rests = isMoved(state) ? 'removed' : known.rests;
  const { health, pace, lanes } = state;
  const isRestored = place !== undefined && place !== state.mintedIn;
  const circumstances: Circumstances = { now, flags, isLocal, isRestored, poller, given };
  // Nobody has to mend a source that is not polled on purpose.
  const stopped = rests ? [] : whyStopped(state, circumstances);
  // `held` describes the holds, with the commands that end each.
  const conditions = rests ? [] : health.reasons.filter((reason) => !isHoldReason(reason));
  const reasons = [...stopped, ...conditions];
  const held = (rests ? [] : state.holds).map((hold) => describeHeld(hold, state.source, flags));
  const isFailing = reasons.length > 0 || health.failure !== undefined || health.restUntil > now;
  const verdict: Verdict =
    rests ??
    (held.some(({ phase }) => phase === 'holding')
      ? 'held'
      : stopped.length > 0
        ? 'stopped'
        : isFailing
          ? 'failing'
          : 'well');
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
    restsUntil: health.restUntil > now && !rests ? formatInstant(health.restUntil) : null,
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

/**
 * `held`: a guard waits for an operator. `stopped`: nothing polls it. `failing`: it is polled and not read completely.
 * `paused`: operators have stopped its polls. `removed`: it is no longer configured, and only its state is kept.
 */
export type Verdict = (typeof WORST_FIRST)[number];

export const WORST_FIRST = ['held', 'stopped', 'failing', 'well', 'paused', 'removed'] as const;

export interface Reason {
  readonly code: string;
  readonly message: string;
}

/** A next step for an operator, in words and, if there is one, as a command. */
export interface NextStep {
  readonly text: string;
  readonly command: string | null;
}

interface Circumstances {
  /** By the local clock. */
  readonly now: Instant;
  /** The flags that name the place of the state, for instance ` --data state`. */
  readonly flags: string;
  readonly isLocal: boolean;
  /** Whether the state was minted in other tables. */
  readonly isRestored: boolean;
  readonly poller: Poller;
  /** The options of the last `watch`; undefined if they are not known. */
  readonly given: readonly GivenOption[] | undefined;
}

/** Nothing polls a source if no tick came for three intervals, but not before this. */
const PATIENCE = 5 * MINUTE;
const PATIENT_INTERVALS = 3;
/** The clocks of two machines differ by less than this. */
const LARGEST_LEAD = MINUTE;

/** Why nothing polls the source; empty if something does. */
function whyStopped(state: SourceState, circumstances: Circumstances): Reason[] {
  const { now, poller, isRestored, isLocal } = circumstances;
  const lastTick = state.lastSlot === 0 ? undefined : state.lastSlot * MILLISECOND;
  const silence = lastTick === undefined ? Number.POSITIVE_INFINITY : now - lastTick;
  const quietFor = Math.min(silence, now - restEnd(state, now));
  const isLate =
    quietFor > Math.max(PATIENCE, PATIENT_INTERVALS * (state.pace?.intervalMs ?? 0) * MILLISECOND);
  return [
    ...(isRestored ? [RESTORED] : []),
    ...(poller === null ? [NO_WATCH] : isLate ? [silent(poller, isLocal)] : []),
    ...(-silence > LARGEST_LEAD ? [AHEAD] : []),
  ];
}

const HOLD_KINDS: readonly string[] = hold.shape.kind.options;

/** Whether a reason of the source's health is a hold. */
function isHoldReason({ code }: Reason): boolean {
  return HOLD_KINDS.includes(code);
}

/** When polls go on after a refused token; 0 for an end so far ahead that it comes from a wrong clock. */
function restEnd({ health: { restUntil } }: SourceState, now: Instant): Instant {
  return restUntil > now && restLeft(restUntil, now) === 0 ? 0 : restUntil;
}

const RESTORED = {
  code: 'restored',
  message:
    'Its tables were restored from a backup, or copied, so the feed has stopped. Only a new generation can ' +
    'continue; it publishes every return group again.',
};
const NO_WATCH = { code: 'silent', message: 'No "watch" runs on this directory.' };
const AHEAD = {
  code: 'ahead',
  message:
    'The last tick is in the future: a clock was ahead. Check the clock of this machine and of the one that ' +
    'polls. Once both are right, polling continues within an hour; a restart of "watch" continues at once.',
};

function silent(poller: Poller, isLocal: boolean): Reason {
  if (!isLocal || !poller) return { code: 'silent', message: 'Nothing polls this source.' };
  const message = `Process ${poller.pid} has not polled this source lately: it watches another one, or hangs.`;
  return { code: 'silent', message };
}

/** The next steps for a source that is stopped or failing; holds have their own commands. */
function nextStepsOf(
  state: SourceState,
  verdict: Verdict,
  stopped: readonly Reason[],
  circumstances: Circumstances,
): NextStep[] {
  const { flags, isLocal, poller, given } = circumstances;
  const { source, baseUrl } = state;
  if (verdict === 'paused') return [step('To poll it again:', `sources resume ${source}${flags}`)];
  const isStopped = (code: string) => stopped.some((reason) => reason.code === code);
  if (isStopped('restored'))
    return [step('If the tables are the right ones:', `sources restore ${source}${flags}`)];
  if (!isStopped('silent')) return verdict === 'failing' ? [aboutFailure(state, circumstances)] : [];
  if (!isLocal)
    return [
      step('Read the log of the poller, and check whether the source is configured:', `sources list${flags}`),
    ];
  const first = poller ? 'If it hangs, end it. ' : '';
  const again = 'Start "watch" again, with the same options';
  if (given !== undefined) {
    const { options, variables } = toWords(given);
    const set = variables.length === 0 ? '' : `Set ${variables.join(' and ')} as before. `;
    const whole = options.includes('…') ? ', the whole URL in place of …' : '';
    return [step(`${first}${set}${again}${whole}:`, `watch${options}${flags}`)];
  }
  if (baseUrl === undefined) return [step(`${first}${again}.`)];
  return [step(`${first}${again}:`, `watch --base-url ${shellWord(baseUrl)} --source ${source}${flags}`)];
}

/** @param command of `returns-feed` */
function step(text: string, command?: string): NextStep {
  return { text, command: command === undefined ? null : `npx --no returns-feed ${command}` };
}

function aboutFailure(state: SourceState, { flags, isLocal }: Circumstances): NextStep {
  const { health, setAside, source, baseUrl } = state;
  const code = health.failure?.code ?? health.reasons.find((reason) => !isHoldReason(reason))?.code;
  const group = setAside.find(({ groupId }) => groupId !== undefined)?.groupId;
  if (code === 'refused' || code === 'token_unreadable' || code === 'misconfigured')
    return isLocal
      ? step('Set RETURNS_API_TOKEN to a valid token, and start "watch" again.')
      : step(
          'Correct the address, or the token in the secret that this command names; the next attempt uses it:',
          `sources list${flags}`,
        );
  if (code === 'unreadable' && group !== undefined)
    return step('Its last known state:', `explain ${source} ${group}${flags}`);
  const text = 'Each poll tries again; nothing is lost meanwhile.';
  return isLocal && baseUrl !== undefined && health.failure !== undefined
    ? step(`${text} What the service answers:`, `probe --base-url ${shellWord(baseUrl)}`)
    : step(text);
}
