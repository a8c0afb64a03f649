// G1: the claims of `feed.source_read`. An event that is written after a claim may show that an entity was in a state until
// then. If the claim is true, the entity was in that state later than the claim reaches: by `polled_at` every change is
// known that moved its stamp, `lookback` and `settle` before, and by `walked_at` every change of two `settle` before.
//
// Not claimed: returns that changed again before they were read; removals, which take two readings; refunds, which have no
// state; groups that can't be read or were forgotten; what is held.
import type { Claim, Evidence, Happening, SourceEvidence, Time, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { setAside } from './set-aside.ts';
import { timeOf } from './stamps.ts';
import { entitiesOf, type GroupHistory, type PublishedChange, type State, stateIn } from './states.ts';
import { beforeFirst } from './true.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

type Problem = readonly [guarantee: 'G1' | 'G8', place: string, message: string];

export function checkSourceRead(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  const problems = [
    ...judgeRow(source),
    ...judgeNumber(evidence, source),
    ...judgeArrivals(evidence, source),
    ...judgeClaims(evidence, source, published, histories),
  ];
  return problems.map(([guarantee, place, message]) => ({
    guarantee,
    source: source.source,
    place,
    message,
  }));
}

/** Checks that claims are null until the baseline is completed, and never move back. */
function* judgeRow({
  claims,
  source,
  baselineCompletedAt = Number.POSITIVE_INFINITY,
}: SourceEvidence): Generator<Problem> {
  let before: Claim | undefined;
  for (const claim of claims) {
    const { id, data } = claim.event;
    if ((data.object as { name?: string }).name !== source) yield ['G8', id, 'is about another source'];
    if (data.sequence <= (before?.event.data.sequence ?? 0))
      yield ['G8', id, 'has no higher number than before'];
    for (const field of ['polledAt', 'walkedAt'] as const) {
      const [then, now] = [before?.[field], claim[field]];
      if (now !== undefined && claim.at < baselineCompletedAt)
        yield ['G1', id, `claims ${field} before the baseline was completed`];
      if (then !== undefined && (now === undefined || now < then)) yield ['G1', id, `${field} moved back`];
    }
    before = claim;
  }
}

/** Checks that there is at most one claim a minute, none if they are disabled, and one in the end. */
function* judgeNumber(
  { timing, endedAt }: Evidence,
  { claims, reportsRead, isLast, isAtRest, baselineCompletedAt = Number.POSITIVE_INFINITY }: SourceEvidence,
): Generator<Problem> {
  const [first, last] = [claims[0], claims.at(-1)];
  if (
    last?.walkedAt === undefined &&
    reportsRead &&
    isLast &&
    isAtRest &&
    endedAt > baselineCompletedAt + MINUTE
  )
    yield ['G8', '', 'the source came to rest and never reported a walk over all groups'];
  if (first === undefined || last === undefined) return;
  if (!reportsRead) yield ['G8', first.event.id, 'was published, though the reports are switched off'];
  // Slots are counted, and a tick may report up to a minute after its slot, or after it froze.
  const most = Math.floor((last.at - first.at + timing.longestFreeze) / MINUTE) + 3;
  if (claims.length > most)
    yield ['G8', last.event.id, `is the last of ${claims.length} reports, and the time allows ${most}`];
}

/** Checks that the newest claim arrived, except one that was written at the end of the run. */
function* judgeArrivals({ endedAt }: Evidence, { claims, queue, bus }: SourceEvidence): Generator<Problem> {
  const newest = claims.findLast(({ at }) => at < endedAt - 10 * SECOND)?.event;
  if (newest === undefined) return;
  for (const [place, arrivals] of Object.entries({ 'ordered subscribers': queue, bus })) {
    const isThere = arrivals.some(
      ({ event }) => event.type === 'feed.source_read' && event.data.sequence >= newest.data.sequence,
    );
    if (!isThere) yield ['G1', newest.id, `did not arrive at the ${place}, nor did a newer one`];
  }
}

function* judgeClaims(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Generator<Problem> {
  if (source.hasAdopted) return;
  const places = new Map(source.written.map(({ event }, place) => [event.id, place]));
  const forgotten = new Set(source.forgotten.map(({ groupId }) => groupId));
  const isSetAside = setAside(evidence, histories, 'ever');
  const isHeld = ({ at }: Claim) => source.heldTimes.some(({ from, to }) => from < at && at < to);
  for (const { groupId, changes } of published.values()) {
    const history = histories.get(groupId);
    const isLeft = evidence.everUnreadable.has(groupId) || evidence.tooLarge.has(groupId);
    if (history === undefined || isLeft || isSetAside(groupId) || forgotten.has(groupId)) continue;
    for (const change of changes) {
      const place = places.get(change.event.id) ?? 0;
      const claim = source.claims.findLast(({ event }) => (places.get(event.id) ?? 0) < place);
      if (claim === undefined || isHeld(claim)) continue;
      if (change.kind === 'refund_transaction' || change.verb === 'removed') continue;
      const { pollsMiss, hidesGroups } = source;
      yield* judgeClaim(
        {
          ...claim,
          ...(pollsMiss || hidesGroups ? { polledAt: undefined } : {}),
          ...(hidesGroups ? { walkedAt: undefined } : {}),
        },
        change,
        history,
        evidence,
        source.written[place]?.at ?? 0,
      );
    }
  }
}

function* judgeClaim(
  claim: Claim,
  change: PublishedChange,
  history: GroupHistory,
  { timing, lookback, showsNulls, mayMissChanges }: Evidence,
  at: Time,
): Generator<Problem> {
  const { name } = change;
  const before = beforeFirst(change);
  const wasLike = (shown: State | undefined) => mayHaveBeen(before, shown, showsNulls);
  const due =
    claim.polledAt === undefined
      ? -1
      : lastDue(history.documents, claim.polledAt - lookback - timing.settle - timing.clocksOff, claim.at);
  const later = history.documents.filter((happening, place) => place >= due && happening.at <= at);
  // A change that polls missed is reported, unless the group changed again before a walk read it.
  const isMasked = mayMissChanges && later.some((happening) => happening.at > claim.at);
  if (due >= 0 && !isMasked && !later.some((shown) => wasLike(stateIn(shown, name))))
    yield ['G1', claim.event.id, describe(change, before, 'polled_at')];
  if (claim.walkedAt === undefined) return;
  // A process that froze while an answer arrived takes it for newer than it is, and a later one for doubtful.
  const through = claim.walkedAt - 2 * timing.settle - timing.clocksOff - timing.longestFreeze;
  const shown = history.showings.filter(({ from, to }) => to > through && from <= at);
  if (!shown.some(({ document }) => wasLike(document && entitiesOf(document).get(name))))
    yield ['G1', claim.event.id, describe(change, before, 'walked_at')];
}

/**
 * Whether an entity that was shown like this may be said to have been in another state: if it was gone for a while, or if
 * a field that the service leaves out while it is null was filled in without an event.
 */
function mayHaveBeen(before: State | undefined, shown: State | undefined, showsNulls: boolean): boolean {
  if (shown === undefined || before === shown) return true;
  return !showsNulls && before !== undefined && before === filledIn(before, shown);
}

/** The shown state without the values of fields that were null before. */
function filledIn(before: State, shown: State): State {
  const values = JSON.parse(shown) as unknown[];
  const known = JSON.parse(before) as unknown[];
  return JSON.stringify(values.map((value, place) => (known[place] === null ? null : value)));
}

function describe({ event, name }: PublishedChange, before: State | undefined, claim: string): string {
  return `claims ${claim}, and ${event.id} says later that ${name} was ${before ?? 'not there'} until then`;
}

/**
 * The last state that moved the stamp up to a moment; none for a group whose stamp had moved on when the claim was made,
 * or that was removed and came back.
 */
function lastDue(documents: readonly Happening[], upTo: Time, madeAt: Time): number {
  let newest = Number.NEGATIVE_INFINITY;
  let due = -1;
  for (const [place, { at, document }] of documents.entries()) {
    const stamp = document === undefined ? undefined : timeOf(String(document.updated_at));
    if (stamp === undefined || stamp <= newest) continue;
    newest = stamp;
    if (at <= upTo) due = place;
    else if (at <= madeAt) return -1;
  }
  return due;
}
