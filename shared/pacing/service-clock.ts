// The service's time, for readings: they must compare across processes and machines, so no local clock will do. The
// answers' Date gives it in whole seconds; each answer bounds how far the service's time is ahead of the time elapsed
// here. The medians of the last bounds hold as long as most of the last answers' Dates are true; the first ones are in
// doubt (accept-dates.ts).
import { type Instant, SECOND } from '../instant.ts';
import type { Clock } from '../ports.ts';
import { acceptDates, type DateBounds } from './accept-dates.ts';

/** Remembered answers: enough to outvote a few wrong ones, few enough to follow a clock that was set. */
const REMEMBERED = 15;
/** The local and the elapsed time differ by more than this only after a jump or a suspension of the machine. */
const LARGEST_PARTING = 2 * SECOND;
/** Number of answers to wait for Dates that can be accepted; after that there are none, or most are wrong. */
const MAX_ANSWERS_IN_DOUBT = 5;
/** The Date comes without its fraction. */
const DATE_PRECISION = SECOND;

/** One request, by the local clock. */
export interface Exchange {
  /** By {@link Clock.elapsed}. */
  readonly sentElapsed: number;
  /** By {@link Clock.now}, when it was sent. */
  readonly sentNow: Instant;
  readonly receivedElapsed: number;
  /** By {@link Clock.now}, when the answer was received. */
  readonly receivedNow: Instant;
  /** The answer's Date, if it had one. */
  readonly date: Instant | undefined;
}

/** When, by the service's clock, a request was sent at the earliest and its answer received at the latest. */
export interface ServiceTimes {
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
}

export interface ServiceOffsets {
  /** The bounds by each of the last Dates. */
  readonly bounds: readonly DateBounds[];
  /** How far the local time was ahead of the elapsed time at the last answer. */
  readonly localLead: number;
  /** Answers since the start, or since the last suspension or clock change. */
  readonly answers: number;
  /** How far the service's time should be ahead, by what was known before then. */
  readonly expected: readonly number[];
}

/** Adds an answer, whatever its status was, and returns its times. Pure. */
export function readServiceTimes(
  known: ServiceOffsets | undefined,
  exchange: Exchange,
): { readonly offsets: ServiceOffsets; readonly times: ServiceTimes } {
  const { sentElapsed, sentNow, receivedElapsed, receivedNow, date } = exchange;
  const localLead = receivedNow - receivedElapsed;
  // After time that did not elapse here, old bounds no longer apply.
  const isWhole = known !== undefined && isSameLead(localLead, known.localLead);
  const old = isWhole ? widen(known.bounds, localLead - known.localLead) : [];
  const isSteady = isSameLead(localLead, sentNow - sentElapsed);
  const lost = isSteady ? Math.max(0, localLead - (sentNow - sentElapsed)) : 0;
  const answered =
    date === undefined
      ? []
      : [{ lower: date - receivedElapsed - lost, upper: date + DATE_PRECISION - sentElapsed + lost }];
  const { answers, expected } = isWhole ? known : afterGap(known, localLead);
  const bounds = [...old, ...answered].slice(-REMEMBERED);
  const offsets = { bounds, localLead, answers: answers + 1, expected };
  const { lower, upper } = mediansOf(offsets);
  // If the machine was suspended while the answer waited, the request was sent that much earlier; a Date would show it.
  const sentBy = bounds.length > 0 ? Number.POSITIVE_INFINITY : sentNow;
  const times = {
    sentAt: Math.floor(Math.min(lower + sentElapsed, sentBy)),
    receivedAt: Math.ceil(upper + receivedElapsed),
  };
  return { offsets: isSteady ? offsets : withoutDates(offsets), times };
}

/** Widens the bounds: a suspension may be too short to distinguish from a clock adjustment. */
function widen(bounds: readonly DateBounds[], parted: number): readonly DateBounds[] {
  return bounds.map(({ lower, upper }) => ({ lower, upper: upper + Math.max(0, parted) }));
}

/** Drops the Dates: it is unknown whether a Date that came over a suspension is from before or after it. */
function withoutDates(offsets: ServiceOffsets): ServiceOffsets {
  return offsets.bounds.length === 0 ? offsets : { ...offsets, bounds: [], answers: 0 };
}

/** Whether all time that passed has elapsed here. */
function isSameLead(a: number, b: number): boolean {
  return Math.abs(a - b) <= LARGEST_PARTING;
}

/**
 * The medians. Of an even number, the lower of the two middle lower bounds and the higher of the two middle upper ones:
 * a tie widens the bounds, and never makes them wrong.
 */
function mediansOf(offsets: ServiceOffsets): { readonly lower: number; readonly upper: number } {
  const { bounds, localLead } = offsets;
  const accepted = acceptedOf(offsets);
  const trusted = accepted.length > 0 ? accepted : bounds;
  const lowers = trusted.map(({ lower }) => lower).sort(ascending);
  const uppers = trusted.map(({ upper }) => upper).sort(ascending);
  // Without any Date only the local clock is left.
  return {
    lower: lowers[Math.floor((lowers.length - 1) / 2)] ?? localLead,
    upper: uppers[Math.floor(uppers.length / 2)] ?? localLead,
  };
}

function acceptedOf({ bounds, localLead, expected }: ServiceOffsets): readonly DateBounds[] {
  return acceptDates(bounds, [localLead, ...expected]);
}

/** After time that did not elapse here: the machine was suspended as long as its clock says, or the clock was set. */
function afterGap(
  known: ServiceOffsets | undefined,
  localLead: number,
): Pick<ServiceOffsets, 'answers' | 'expected'> {
  // A service that sent no Date before will send none now.
  if (known === undefined || known.bounds.length === 0) {
    return { answers: known?.answers ?? 0, expected: [] };
  }
  // Dates that were in doubt themselves confirm nothing.
  if (isInDoubt(known)) return { answers: 0, expected: [] };
  const { lower } = mediansOf(known);
  return { answers: 0, expected: [lower, lower + localLead - known.localLead] };
}

/** Whether the next answer may show that the last times were wrong. */
function isInDoubt(offsets: ServiceOffsets): boolean {
  return offsets.answers < MAX_ANSWERS_IN_DOUBT && acceptedOf(offsets).length === 0;
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** Remembers the offsets of one service. */
export interface ServiceClock {
  read(exchange: Exchange): ServiceTimes;
  /** The service's time now, at the earliest and at the latest; the local time before the first Date. */
  now(): { readonly atLeast: Instant; readonly atMost: Instant };
  /** Whether a Date that still holds was seen; otherwise `now` is the local time. */
  isKnown(): boolean;
  /** Whether the next answer may show that the last times were wrong. */
  isDoubtful(): boolean;
}

export function createServiceClock(clock: Clock): ServiceClock {
  let offsets: ServiceOffsets | undefined;

  /** The state at this moment, without an answer. */
  function here() {
    const elapsed = clock.elapsed();
    const now = clock.now();
    const moment = { sentElapsed: elapsed, sentNow: now, receivedElapsed: elapsed, receivedNow: now };
    return readServiceTimes(offsets, { ...moment, date: undefined });
  }

  return {
    read(exchange) {
      const reading = readServiceTimes(offsets, exchange);
      offsets = reading.offsets;
      return reading.times;
    },
    now() {
      const { sentAt, receivedAt } = here().times;
      return { atLeast: sentAt, atMost: receivedAt };
    },
    isKnown: () => here().offsets.bounds.length > 0,
    isDoubtful: () => offsets === undefined || isInDoubt(offsets),
  };
}
