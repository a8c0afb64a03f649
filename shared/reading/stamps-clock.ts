// The stamps' clock: what time it is in the service's stamps. It is the newest plausible stamp received, and goes
// on from there; so it is never ahead of the service, however wrong our own clock or its `Date` may be, and no
// boundary of what is settled can move past what the service has yet to stamp.
//
// A stamp is plausible if it is not beyond the answer's `Date` plus the lead. The lead is learned from groups that
// changed while they were being watched: how far most of the last ones, and at least three, ran ahead. So neither
// one or two absurd rows move the clock, nor many among more honest ones. Stamps without a zone show their offset
// that way; as theirs may lie behind `Date` too, where any nonsense is plausible, three rows of one page have to
// agree before they move the clock.
import { HOUR, type Instant, MINUTE } from '../instant.ts';
import { ASK_AHEAD, ASK_AHEAD_WITHOUT_ZONE } from '../limits.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { StampsState } from '../source/source-state.ts';

/** No zone is further ahead of UTC than 14 hours; a lead beyond is no lead but nonsense. */
const LARGEST_LEAD = 15 * HOUR;
/** Polls ask further ahead than this in any case; and no zone is nearer to UTC than an hour, but UTC itself. */
const SMALLEST_LEAD = 30 * MINUTE;
/** Groups whose lead is remembered: the last that changed. */
const LEADS_KEPT = 12;
const GROUPS_THAT_AGREE = 3;
/** Summer time ends by setting clocks back that far. */
const SUMMER_TIME = HOUR;

export const UNKNOWN_STAMPS: StampsState = {
  zoned: true,
  precision: 6,
  lead: 0,
  leads: [],
  newest: undefined,
  newestReceivedAt: 0,
};

/**
 * The time by the stamps' clock.
 *
 * @param at a moment by the service's clock
 * @returns undefined as long as no plausible stamp was seen
 */
export function stampsTime({ newest, newestReceivedAt }: StampsState, at: Instant): Instant | undefined {
  return newest === undefined ? undefined : newest + (at - newestReceivedAt);
}

/** Takes in the stamps of a page. Both of a row's stamps count; rows that can't be read have none. */
export function learnStamps(
  state: StampsState,
  rows: readonly RowReading[],
  receivedAt: Instant,
): StampsState {
  const readable = rows.filter((row) => row.kind === 'readable');
  if (readable.length === 0) return state;
  const precision = Math.max(...readable.map((row) => row.precision));
  const zoned = learnZoned(state, readable);
  const newest = newestOf(readable, receivedAt + state.lead, zoned ? 1 : GROUPS_THAT_AGREE);
  const lead = newest === undefined ? undefined : newest - receivedAt;
  const isNews =
    lead !== undefined && (state.newest === undefined || lead > state.newest - state.newestReceivedAt);
  return {
    ...state,
    zoned,
    // Precision only grows: a page of whole seconds by chance must not coarsen the bounds, and finer ones do no harm.
    precision: isUntouched(state) ? precision : Math.max(precision, state.precision),
    ...(isNews ? { newest, newestReceivedAt: receivedAt } : {}),
  };
}

type Stamped = Extract<RowReading, { kind: 'readable' }>;

/** The newest plausible stamp that so many rows reach. */
function newestOf(rows: readonly Stamped[], latest: Instant, agreeing: number): Instant | undefined {
  return rows
    .map((row) => Math.max(...comparableStamps(row).filter((stamp) => stamp <= latest)))
    .filter((stamp) => Number.isFinite(stamp))
    .sort((a, b) => b - a)[agreeing - 1];
}

/** Where one of the two names its zone and the other does not, they are hours apart: polls go by updates. */
function comparableStamps({ createdAt, updatedAt, hasMixedZones }: Stamped): readonly Instant[] {
  return hasMixedZones ? [updatedAt] : [createdAt, updatedAt];
}

/** The first page tells; later a whole page has to say otherwise, for a few odd rows must not change the bounds. */
function learnZoned(state: StampsState, rows: readonly Stamped[]): boolean {
  if (isUntouched(state)) return rows.filter((row) => row.zoned).length * 2 >= rows.length;
  const saysOtherwise = rows.length >= GROUPS_THAT_AGREE && rows.every((row) => row.zoned !== state.zoned);
  return saysOtherwise ? !state.zoned : state.zoned;
}

function isUntouched(state: StampsState): boolean {
  return state.newest === undefined && state.leads.length === 0;
}

/** Takes in how far the stamp of a group that has just changed ran ahead of the answer's `Date`. */
export function learnLead(
  state: StampsState,
  groupId: number,
  stamp: Instant,
  receivedAt: Instant,
): StampsState {
  const others = state.leads.filter((known) => known.groupId !== groupId);
  const leads = [...others, { groupId, lead: stamp - receivedAt }].slice(-LEADS_KEPT);
  const agreed = agreedLead(leads.map(({ lead }) => lead));
  return { ...state, leads, lead: Math.max(state.lead, agreed) };
}

/** What most of them, and at least three, have in common; 0 where that is nothing to speak of, or nonsense. */
function agreedLead(leads: readonly number[]): number {
  const majority = Math.max(GROUPS_THAT_AGREE, Math.floor(leads.length / 2) + 1);
  const agreed = [...leads].sort((a, b) => b - a)[majority - 1] ?? 0;
  return agreed < SMALLEST_LEAD || agreed > LARGEST_LEAD ? 0 : agreed;
}

/** How far beyond `Date` polls have to ask so that no honest stamp is missed. */
export function askedAhead({ zoned, lead }: StampsState): number {
  return lead + (zoned || lead > 0 ? ASK_AHEAD : ASK_AHEAD_WITHOUT_ZONE);
}

/**
 * How far the service's stamps may fall back behind their clock: those without a zone, unless they are in UTC, when
 * summer time ends. A settled instant that did not allow for it would lie ahead of them until spring.
 */
export function mayFallBackBy({ zoned, newest, newestReceivedAt }: StampsState): number {
  const offset = newest === undefined ? 0 : Math.abs(newest - newestReceivedAt);
  return zoned || offset < SMALLEST_LEAD ? 0 : SUMMER_TIME;
}
