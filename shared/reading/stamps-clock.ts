// The stamps' clock: what time it is in the service's stamps. It is the newest plausible stamp received, and goes
// on from there; so it is never ahead of the service, however wrong our own clock or its `Date` may be, and no
// boundary of what is settled can move past what the service has yet to stamp.
//
// A stamp is plausible if it is not beyond the answer's `Date` plus the lead. The lead is learned from groups that
// changed while they were being watched: how far the stamps of three different ones ran ahead. Of these the third
// largest counts, so that no one or two absurd rows move the clock. Stamps without a zone show their offset that way.
import { HOUR, type Instant, MINUTE, SECOND } from '../instant.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { StampsState } from '../source-state.ts';

/** No zone is further ahead of UTC than 14 hours; a lead beyond is no lead but nonsense. */
const LARGEST_LEAD = 15 * HOUR;
/** `Date` is cut to the second: less is no lead. */
const SMALLEST_LEAD = SECOND;
/** Groups whose lead is remembered; three would do, more let a lasting lead outweigh passing nonsense. */
const LEADS_KEPT = 12;
const GROUPS_THAT_AGREE = 3;
/** Leads of one clock differ by how long after its stamp a change was read; absurd ones differ by anything. */
const LEADS_APART = 10 * MINUTE;

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
  let { newest, newestReceivedAt } = state;
  const latest = receivedAt + state.lead;
  let precision = 0;
  let readable = 0;
  let zoned = 0;
  for (const row of rows) {
    if (row.kind === 'unreadable') continue;
    readable += 1;
    if (row.zoned) zoned += 1;
    precision = Math.max(precision, row.precision);
    for (const stamp of [row.createdAt, row.updatedAt]) {
      if (stamp > latest) continue;
      if (newest === undefined || stamp - receivedAt > newest - newestReceivedAt) {
        newest = stamp;
        newestReceivedAt = receivedAt;
      }
    }
  }
  if (readable === 0) return state;
  // Precision only grows: a page of whole seconds by chance must not coarsen the bounds, and finer ones do no harm.
  const isFirst = state.newest === undefined && state.leads.length === 0;
  return {
    ...state,
    zoned: zoned * 2 >= readable,
    precision: isFirst ? precision : Math.max(precision, state.precision),
    newest,
    newestReceivedAt,
  };
}

/** Takes in how far the stamp of a group that has just changed ran ahead of the answer's `Date`. */
export function learnLead(
  state: StampsState,
  groupId: number,
  stamp: Instant,
  receivedAt: Instant,
): StampsState {
  const lead = stamp - receivedAt;
  if (lead <= SMALLEST_LEAD || lead > LARGEST_LEAD) return state;
  const others = state.leads.filter((known) => known.groupId !== groupId);
  const leads = [...others, { groupId, lead }].slice(-LEADS_KEPT);
  const agreed = findAgreement(leads.map((known) => known.lead));
  return { ...state, leads, lead: Math.max(state.lead, agreed) };
}

/** The largest lead that three groups have in common; the least of the three, so that none of them is behind it. */
function findAgreement(leads: readonly number[]): number {
  const descending = [...leads].sort((a, b) => b - a);
  for (const [index, lead] of descending.entries()) {
    const third = descending[index + GROUPS_THAT_AGREE - 1];
    if (third !== undefined && lead - third <= LEADS_APART) return third;
  }
  return 0;
}

/** How far beyond `Date` polls have to ask so that no honest stamp is missed. */
export function askedAhead({ zoned, lead }: StampsState): number {
  return lead + (zoned || lead > 0 ? HOUR : LARGEST_LEAD);
}
