// G8, never silent: a source that is not being read completely is reported as degraded, and as recovered once it is read
// completely again. Pure: the reasons follow from the state and from what the tick has met.

import { formatHold } from '../guarding/describe-hold.ts';
import { describeFinding } from '../guarding/findings.ts';
import { formatInstant, HOUR, type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import { describePlace, type Place } from '../position/places.ts';
import { isJoined, lateRhythm, OLDER_RHYTHM, type Pace, promisedRhythm } from '../source/rhythms.ts';
import type { SourceSettings } from '../source/source-settings.ts';
import type { Finding, KeptLane, SourceState } from '../source/source-state.ts';
import { queueFeedReport } from './feed-reports.ts';

export type DegradationCode =
  | Finding['code']
  /** Rows make every answer with them fail, and are left out. */
  | 'rows_fail'
  /** Rows with equal stamps are not proved to be all. */
  | 'crowd_not_proved'
  /** Every answer has been older than `settle` for an hour. */
  | 'answers_old'
  | 'other_store'
  | 'removals'
  | 'mass_change'
  | 'backfill'
  /** A lane has completed no round for too long. */
  | 'stalled'
  /** Rows can't be read or stored. */
  | 'unreadable'
  /** The token is refused. */
  | 'refused'
  /** The secret is gone, can't be read or holds no token. */
  | 'token_unreadable'
  /** The settings, or the base URL in them, can't be used. */
  | 'misconfigured'
  | 'failing';

export interface Degradation {
  readonly code: DegradationCode;
  readonly message: string;
}

export interface Met {
  readonly settings: SourceSettings;
  /** The options that name the place of the state, for commands to copy. */
  readonly place: string | undefined;
  /** What ended the tick early. */
  readonly error: Error | undefined;
  /** The last request that failed in this tick. */
  readonly lastFailure: Error | undefined;
  /** Whether a round of polls was read completely in this tick. */
  readonly hasPolled: boolean;
  readonly now: Instant;
}

/** A lane is stalled after three of its rhythms without a complete round, but not before this. */
const PATIENCE = 5 * MINUTE;
const PATIENT_RHYTHMS = 3;
/** Or after twice its last round, if that took longer. */
const PATIENT_ROUNDS = 2;

/** Returns the state with its health, and the feed's event about it if that has changed. */
export function reportHealth(state: SourceState, met: Met): SourceState {
  const { now, settings } = met;
  const { health } = state;
  const found = reasonsOf(state, met);
  // Another failure is no recovery.
  const isFailing = !met.hasPolled && (met.error ?? met.lastFailure) !== undefined;
  const reasons = found.length === 0 && isFailing ? [...health.reasons] : found;
  const failure = noteFailure(state, met);
  const wasDegraded = health.degradedSince !== undefined;
  const since = health.degradedSince ?? now;
  const known = new Set(health.reasons.map(({ code }) => code));
  const isNews = reasons.some(({ code }) => !known.has(code)) || (wasDegraded && reasons.length === 0);
  const degradedSince = reasons.length === 0 ? undefined : since;
  const next = { ...state, health: { ...health, degradedSince, reasons, failure } };
  if (!isNews) return next;
  const type = reasons.length === 0 ? 'feed.source_recovered' : 'feed.source_degraded';
  const object = { type: 'source' as const, name: settings.name, reasons, since: formatInstant(since) };
  return queueFeedReport(next, type, object, now);
}

function reasonsOf(state: SourceState, { settings, place, error, lastFailure, now }: Met): Degradation[] {
  const failure = error && describeFailure(error);
  const isExplained = failure !== undefined && failure.code !== 'failing';
  const stalled = stalledLanes(state, settings, now);
  return [
    ...(isExplained ? [failure] : []),
    ...state.holds.map((hold) => ({
      code: hold.kind,
      message: formatHold(hold, settings.name, place),
    })),
    ...state.findings.map((finding) => ({ code: finding.code, message: describeFinding(finding) })),
    ...describePlaces(state.position.places),
    ...describeAge(state.position.agedSince, settings, now),
    ...(state.setAside.length > 0 ? [describeSetAside(state.setAside)] : []),
    // A source that is held is not read: the hold says so.
    ...(stalled.length > 0 && !isExplained && !state.holds.some(({ kind }) => kind === 'other_store')
      ? [describeStalled(stalled, error ?? lastFailure)]
      : []),
  ];
}

/** The progress check: lanes without a complete round for too long. */
export function stalledLanes(state: SourceState, settings: Pace, now: Instant): KeptLane[] {
  const interval = settings.intervalMs * MILLISECOND;
  const rhythms = {
    late: lateRhythm(settings, state.lanes.late.requests),
    recent: Math.max(interval, promisedRhythm('recent', settings)),
    older: OLDER_RHYTHM,
  };
  const lanes = isJoined(state, settings)
    ? (['late', 'recent'] as const)
    : (['late', 'recent', 'older'] as const);
  return lanes.filter((name) => {
    const { endedAt } = state.lanes[name];
    const readAt = state.position.readAt[name];
    const took = readAt === undefined ? 0 : endedAt - readAt;
    return now - endedAt > Math.max(PATIENT_RHYTHMS * rhythms[name], PATIENCE, PATIENT_ROUNDS * took);
  });
}

/** Since when the source is not read completely; now if it is. */
export function behindSince(state: SourceState, now: Instant): Instant {
  const { pace, lanes } = state;
  if (pace === undefined) return now;
  const isLate = now > lanes.late.endedAt + 2 * lateRhythm(pace, lanes.late.requests);
  const behind = [...(isLate ? (['late'] as const) : []), ...stalledLanes(state, pace, now)];
  return Math.min(now, ...behind.map((name) => lanes[name].endedAt));
}

/** Counts the ticks that fail one after the other. */
function noteFailure({ health }: SourceState, { error, now }: Met): SourceState['health']['failure'] {
  if (error === undefined) return undefined;
  const { since = now, ticks = 0 } = health.failure ?? {};
  return { ...describeFailure(error), since, ticks: ticks + 1 };
}

/** Groups that are named with their reasons; `status` names more. */
const SET_ASIDE_NAMED = 3;

function describeSetAside(setAside: SourceState['setAside']): Degradation {
  const count = setAside.length;
  const groups = count === 1 ? '1 return group is' : `${count} return groups are`;
  const named = setAside
    .slice(0, SET_ASIDE_NAMED)
    .map(({ groupId, reason }) => `${groupId ?? 'one without an id'} (${reason})`);
  const more = count > SET_ASIDE_NAMED ? ` and ${count - SET_ASIDE_NAMED} more` : '';
  return { code: 'unreadable', message: `${groups} set aside: ${named.join(', ')}${more}.` };
}

function* describePlaces(places: readonly Place[]): Generator<Degradation> {
  for (const [isLeftOut, code, what] of PLACES) {
    const [first, ...others] = places.filter((place) => place.isLeftOut === isLeftOut);
    if (first === undefined) continue;
    yield { code, message: `${what} (${1 + others.length}, for example ${describePlace(first)}).` };
  }
}

/** Answers are older than `settle` for so long before that is reported. */
const AGED_FOR = HOUR;

function* describeAge(
  since: Instant | undefined,
  { settleMs }: Pick<SourceSettings, 'settleMs'>,
  now: Instant,
): Generator<Degradation> {
  if (since === undefined || now - since < AGED_FOR) return;
  const settle = `${settleMs / 1_000} s`;
  const message = `A cache answers, whatever it is asked for: for an hour every answer has been older than ${settle}. Changes without a newer updated_at, and removals, wait as long.`;
  yield { code: 'answers_old', message };
}

const PLACES = [
  [true, 'rows_fail', 'Answers with some return groups always fail, so these are left out of all requests'],
  [
    false,
    'crowd_not_proved',
    'Return groups with equal timestamps fill more pages than their list shows in a stable order: some may be missing',
  ],
] as const;

const READS: Readonly<Record<KeptLane, string>> = {
  late: 'polls',
  recent: 'the walk over recent return groups',
  older: 'the walk over older return groups',
};

function describeStalled(lanes: readonly KeptLane[], failure: Error | undefined): Degradation {
  const what = lanes.map((name) => READS[name]).join(' and ');
  const why = failure === undefined ? '' : ` ${failure.message}`;
  return { code: 'stalled', message: `Not completed for a while: ${what}.${why}` };
}

/** Describes a failure in words for people, with a code for machines. */
export function describeFailure(error: Error): Degradation {
  return { code: CODES[error.name] ?? 'failing', message: error.message };
}

/** By the name of the error. */
const CODES: Readonly<Record<string, DegradationCode>> = {
  SourceRefused: 'refused',
  TokenUnavailable: 'token_unreadable',
  InvalidTokenError: 'token_unreadable',
  InvalidBaseUrlError: 'misconfigured',
};
