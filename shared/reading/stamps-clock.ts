// The stamps' clock: the current time in the service's stamps. It is the newest plausible stamp received, and runs on
// from there, so a wrong local clock does not move it. It runs ahead of the service only if rows are stamped in the
// future and `Date` allows their stamps, or if the service's own clock is set back later. Then instants are settled too
// early (docs/guarantees.md, "Time"; tick/stamps-fall-back.ts).
//
// A stamp is plausible if it is not beyond the answer's `Date` plus the lead. The lead is learned from groups that
// changed while they were being watched: how far most of the last ones, and at least three, ran ahead. So one or two
// absurd rows do not move the clock, nor do many if most of the groups have true stamps. Stamps without a zone show
// their offset that way. They may also lie behind `Date`, where any nonsense is plausible, so three rows of one page
// must agree to move the clock. After stamps fell back, those from before the fall are plausible only up to the lead
// since then.
import { HOUR, type Instant } from '../instant.ts';
import { ASK_AHEAD, ASK_AHEAD_WITHOUT_ZONE, SMALLEST_LEAD } from '../limits.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { StampsState } from '../source/source-state.ts';

/** No zone is further ahead of UTC than 14 hours, and clocks add an hour at most: a larger lead is nonsense. */
const LARGEST_LEAD = 15 * HOUR;
/** Number of remembered leads: those of the last groups that changed. */
const LEADS_KEPT = 12;
export const GROUPS_THAT_AGREE = 3;
/** The end of summer time sets clocks back this far. */
const SUMMER_TIME = HOUR;

export const UNKNOWN_STAMPS: StampsState = {
  zoned: true,
  precision: 6,
  lead: 0,
  fall: undefined,
  leads: [],
  newest: undefined,
  newestReceivedAt: 0,
  passed: [],
  pollsInDoubt: undefined,
};

/**
 * The time by the stamps' clock.
 *
 * @param at a moment by the service's clock
 * @returns undefined until a plausible stamp was seen
 */
export function stampsTime({ newest, newestReceivedAt }: StampsState, at: Instant): Instant | undefined {
  return newest === undefined ? undefined : newest + (at - newestReceivedAt);
}

/**
 * The instant up to which a read settles the stamps: changes may show `lookback` after their stamp, so it lies that far
 * back. Where stamps name their zone it is never later than the service's time less the lookback: stamps that ran ahead
 * may be set right at any moment. Without a zone, reading the hours of an offset again in each poll would cost too
 * much.
 *
 * @param readAt when the read began, by the service's clock
 * @param lookback in the unit of Instant
 * @returns undefined until a plausible stamp was seen
 */
export function settledByRead(stamps: StampsState, readAt: Instant, lookback: number): Instant | undefined {
  const time = stampsTime(stamps, readAt);
  if (time === undefined) return undefined;
  return (stamps.zoned ? Math.min(time, readAt) : time) - lookback - mayFallBackBy(stamps);
}

/**
 * Learns from the stamps of a page: their form (zone, digits) from both stamps of each row, the clock from `updated_at`
 * alone. Polls go by that, and `created_at` may come from another clock or be in another zone.
 */
export function learnStamps(
  state: StampsState,
  rows: readonly RowReading[],
  receivedAt: Instant,
): StampsState {
  const readable = rows.filter((row) => row.kind === 'readable');
  if (readable.length === 0) return state;
  const precision = Math.max(...readable.map((row) => row.precision));
  const zoned = learnZoned(state, readable);
  const newest = newestOf(
    readable.map(({ updatedAt }) => updatedAt).filter((stamp) => isPlausible(stamp, state, receivedAt)),
    zoned ? 1 : GROUPS_THAT_AGREE,
  );
  const lead = newest === undefined ? undefined : newest - receivedAt;
  const isNews =
    lead !== undefined && (state.newest === undefined || lead > state.newest - state.newestReceivedAt);
  return {
    ...state,
    zoned,
    // Precision only grows: a page that has whole seconds by chance must not coarsen the bounds. Finer ones cost a
    // look-up at most.
    precision: isUntouched(state) ? precision : Math.max(precision, state.precision),
    ...(isNews ? { newest, newestReceivedAt: receivedAt } : {}),
  };
}

type Stamped = Extract<RowReading, { kind: 'readable' }>;

function isPlausible(stamp: Instant, { lead, fall }: StampsState, receivedAt: Instant): boolean {
  const isFromBeforeTheFall = fall !== undefined && stamp <= fall.from;
  return stamp <= receivedAt + (isFromBeforeTheFall ? Math.min(fall.lead, lead) : lead);
}

/** The newest stamp that at least `agreeing` of the stamps equal or exceed, counting itself. */
function newestOf(stamps: readonly Instant[], agreeing: number): Instant | undefined {
  return [...stamps].sort((a, b) => b - a)[agreeing - 1];
}

/** The first page decides. Later a whole page has to disagree, because a few odd rows must not change the bounds. */
function learnZoned(state: StampsState, rows: readonly Stamped[]): boolean {
  if (isUntouched(state)) return rows.filter((row) => row.zoned).length * 2 >= rows.length;
  const saysOtherwise = rows.length >= GROUPS_THAT_AGREE && rows.every((row) => row.zoned !== state.zoned);
  return saysOtherwise ? !state.zoned : state.zoned;
}

function isUntouched(state: StampsState): boolean {
  return state.newest === undefined && state.leads.length === 0;
}

/** Learns how far the stamp of a group that has just changed ran ahead of the answer's `Date`. */
export function learnLead(
  state: StampsState,
  groupId: number,
  stamp: Instant,
  receivedAt: Instant,
): StampsState {
  const others = state.leads.filter((known) => known.groupId !== groupId);
  const leads = [...others, { groupId, lead: stamp - receivedAt }].slice(-LEADS_KEPT);
  const agreed = agreedLead(leads.map(({ lead }) => lead));
  return { ...state, leads, lead: Math.max(state.lead, agreed), fall: raised(state.fall, leads) };
}

/** The lead since the fall is at least that of most of the groups that were seen to change: they are right. */
function raised(fall: StampsState['fall'], leads: StampsState['leads']): StampsState['fall'] {
  if (fall === undefined) return undefined;
  const agreed = majorityOf(leads.map(({ lead }) => lead)) ?? fall.lead;
  return agreed > fall.lead && agreed <= LARGEST_LEAD ? { ...fall, lead: agreed } : fall;
}

/** The lead that most of them, and at least three, have or exceed; 0 if it is too small to matter, or nonsense. */
export function agreedLead(leads: readonly number[]): number {
  const agreed = majorityOf(leads) ?? 0;
  return agreed < SMALLEST_LEAD || agreed > LARGEST_LEAD ? 0 : agreed;
}

function majorityOf(leads: readonly number[]): number | undefined {
  const majority = Math.max(GROUPS_THAT_AGREE, Math.floor(leads.length / 2) + 1);
  return [...leads].sort((a, b) => b - a)[majority - 1];
}

/** How far beyond `Date` polls must request so that they miss no plausible stamp. */
export function askedAhead({ zoned, lead }: StampsState): number {
  return lead + (zoned || lead > 0 ? ASK_AHEAD : ASK_AHEAD_WITHOUT_ZONE);
}

/**
 * How far the service's stamps may fall back behind their clock when summer time ends: stamps without a zone, unless
 * they are in UTC. A settled instant without this allowance would be ahead of them until spring.
 */
export function mayFallBackBy({ zoned, newest, newestReceivedAt }: StampsState): number {
  const offset = newest === undefined ? 0 : Math.abs(newest - newestReceivedAt);
  // No zone but UTC itself is nearer to UTC than an hour.
  return zoned || offset < SMALLEST_LEAD ? 0 : SUMMER_TIME;
}
