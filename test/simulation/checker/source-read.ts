// Judges the claims of `feed.source_read` by later events. An event that is written after a claim may show that an entity
// was in a state until then. If the claim is true, the entity was in that state later than the claim reaches: by the stamps
// for `read_up_to`, by the time it showed for `reconciled_through`.
//
// Not claimed: returns that changed again before they were read (their list position moves with the stamp); removals, which
// take two readings; refunds, which have no state; groups that can't be read; groups that an operator forgot; changes that
// showed later than the lookback allows; whatever another store showed.
import type { EventOf } from '../../../shared/contract/event.ts';
import { returnsAfterForgetting } from './complete.ts';
import type { Arrival, Evidence, Happening, SourceEvidence, Time, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { knownBlindness } from './polls-blind.ts';
import { timeOf } from './stamps.ts';
import {
  entitiesOf,
  type GroupHistory,
  isState,
  type PublishedChange,
  type State,
  stateIn,
} from './states.ts';
import { beforeFirst } from './true.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

type Claim = Arrival & { readonly event: EventOf<'feed.source_read'> };
type Problem = readonly [guarantee: 'G1' | 'G8', place: string, message: string];
type Histories = ReadonlyMap<number, GroupHistory>;

export function checkSourceRead(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: Histories,
): Violation[] {
  const claims = source.written.filter(
    (arrival): arrival is Claim => arrival.event.type === 'feed.source_read',
  );
  const judged = claims.filter((claim) => isJudged(claim, evidence, source));
  const problems = [
    ...judgeRow(claims, source),
    ...judgeNumber(claims, evidence, source),
    ...judgeArrivals(claims, evidence, source),
    ...judgeClaims(judged, evidence, source, published, histories),
    ...(isAsEver(evidence) ? judgeLast(claims, evidence, source) : []),
  ];
  return problems.map(([guarantee, place, message]) => ({
    guarantee,
    source: source.source,
    place,
    message,
  }));
}

/** Returns whether a claim can be judged: the service shows the same store in the same way, or the feed knows what it hides. */
function isJudged({ at }: Claim, evidence: Evidence, source: SourceEvidence): boolean {
  const { from, to } = knownBlindness(evidence, source);
  return isAsEver(evidence) || (evidence.promises.showsArrays && at >= from && at < to);
}

function isAsEver({ isSteady, promises }: Evidence): boolean {
  return isSteady && promises.showsOwnStore && promises.showsArrays;
}

/** Checks that claims are null until the baseline is completed, never move back, and do not move during a hold. */
function* judgeRow(claims: readonly Claim[], source: SourceEvidence): Generator<Problem> {
  const { baselineCompletedAt = Number.POSITIVE_INFINITY } = source;
  let last: Claim | undefined;
  for (const claim of claims) {
    const { id, data } = claim.event;
    const { object } = data;
    const before = last?.event.data.object;
    if (object.name !== source.source) yield ['G8', id, `is about ${object.name}`];
    if (data.sequence <= (last?.event.data.sequence ?? 0))
      yield ['G8', id, 'has no higher number than before'];
    for (const field of ['read_up_to', 'reconciled_through'] as const) {
      const [then, now] = [timeOf(before?.[field] ?? ''), timeOf(object[field] ?? '')];
      if (now !== undefined && claim.at < baselineCompletedAt)
        yield ['G1', id, `claims ${field} ${object[field]} before the baseline was completed`];
      if (then !== undefined && (now === undefined || now < then))
        yield ['G1', id, `${field} moved back from ${before?.[field]} to ${object[field]}`];
    }
    const held = heldAt(claim, source);
    const wasHeld = last !== undefined && held !== undefined && heldAt(last, source) === held;
    if (wasHeld && object.read_up_to !== before?.read_up_to)
      yield [
        'G1',
        id,
        `moves read_up_to to ${object.read_up_to}, though something has been held since ${held?.from}`,
      ];
    if (held !== undefined && object.held === 0) yield ['G1', id, 'reports no hold, though there is one'];
    last = claim;
  }
}

function heldAt({ at }: Claim, { heldTimes }: SourceEvidence) {
  return heldTimes.find(({ from, to }) => from < at && at < to);
}

/** Checks that there is at most one claim a minute, and none if they are disabled. */
function* judgeNumber(
  claims: readonly Claim[],
  { reportsRead, isSteady }: Evidence,
  { longestFreeze }: SourceEvidence,
): Generator<Problem> {
  const [first, last] = [claims[0], claims.at(-1)];
  if (first === undefined || last === undefined) return;
  if (!reportsRead) yield ['G8', first.event.id, 'was published, though the reports are switched off'];
  // Slots are counted, and a tick may report up to a minute after its slot, or after it froze.
  const most = Math.floor((last.at - first.at + longestFreeze) / MINUTE) + 3;
  if (isSteady && claims.length > most)
    yield ['G8', last.event.id, `is the last of ${claims.length} reports, and the time allows ${most}`];
}

/** Checks that the newest claim arrived, except one that was written at the end of the run. */
function* judgeArrivals(
  claims: readonly Claim[],
  { endedAt }: Evidence,
  source: SourceEvidence,
): Generator<Problem> {
  const newest = claims.findLast(({ at }) => at < endedAt - 10 * SECOND)?.event;
  if (newest === undefined) return;
  for (const [place, arrivals] of Object.entries({ 'ordered subscribers': source.queue, bus: source.bus })) {
    const isThere = arrivals.some(
      ({ event }) => event.type === 'feed.source_read' && event.data.sequence >= newest.data.sequence,
    );
    if (!isThere) yield ['G1', newest.id, `did not arrive at the ${place}, nor did a newer one`];
  }
}

function* judgeClaims(
  claims: readonly Claim[],
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: Histories,
): Generator<Problem> {
  const offset = offsetOfStamps(histories);
  const places = new Map(source.written.map(({ event }, place) => [event.id, place]));
  const forgotten = new Set(source.forgotten.map(({ groupId }) => groupId));
  for (const { groupId, changes } of published.values()) {
    const history = histories.get(groupId);
    const isSetAside = evidence.unreadable.has(groupId) || evidence.tooLarge.has(groupId);
    if (history === undefined || isSetAside || forgotten.has(groupId)) continue;
    for (const change of changes) {
      const place = places.get(change.event.id) ?? 0;
      const at = source.written[place]?.at ?? 0;
      const claim = claims.findLast(({ event }) => (places.get(event.id) ?? 0) < place);
      if (claim === undefined || change.kind === 'refund_transaction' || change.verb === 'removed') continue;
      yield* judgeClaim(claim, change, history, evidence, { offset, at });
    }
  }
}

function* judgeClaim(
  { event, at: madeAt }: Claim,
  change: PublishedChange,
  history: GroupHistory,
  evidence: Evidence,
  { offset, at }: { readonly offset: Time; readonly at: Time },
): Generator<Problem> {
  const { timing, promises } = evidence;
  const { name } = change;
  const before = beforeFirst(change);
  const { read_up_to: readUpTo, reconciled_through: reconciledThrough } = event.data.object;
  // A stamp that was dated too early sets the stamps' clock ahead: polls pass over changes (guarantees.md, "Time").
  const isTimeKnown = promises.stampsTellTime && promises.endsLists && timing.drift < SECOND;
  const upTo = isTimeKnown ? timeOf(readUpTo ?? '') : undefined;
  const due = upTo === undefined ? -1 : lastDue(history.documents, { upTo, madeAt }, offset, evidence);
  const { showsNulls } = promises;
  const later = history.documents.filter((happening, place) => place >= due && happening.at <= at);
  if (due >= 0 && !later.some((shown) => mayHaveBeen(before, stateIn(shown, name), showsNulls)))
    yield ['G1', event.id, describe(change, before, `read_up_to ${readUpTo}`)];
  const through = timeOf(reconciledThrough ?? '');
  if (through === undefined) return;
  const shown = history.showings.filter(({ from, to }) => to > through - timing.dateAhead && from <= at);
  const isShown = shown.some(({ document }) =>
    mayHaveBeen(before, document === undefined ? undefined : entitiesOf(document).get(name), showsNulls),
  );
  if (!isShown) yield ['G1', event.id, describe(change, before, `reconciled_through ${reconciledThrough}`)];
}

/**
 * Whether an entity that was shown like this may be said to have been in another state: if it was gone for a while, or if
 * a field that the service leaves out while it is null was filled in without an event.
 */
export function mayHaveBeen(
  before: State | undefined,
  shown: State | undefined,
  showsNulls: boolean,
): boolean {
  if (shown === undefined || isState(before, shown)) return true;
  return !showsNulls && before !== undefined && isState(before, filledIn(before, shown));
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
 * The last state that moved the stamp to a moment before `upTo`, and showed everywhere within the lookback; none for a
 * group whose stamp had moved on when the claim was made.
 */
function lastDue(
  documents: readonly Happening[],
  { upTo, madeAt }: { readonly upTo: Time; readonly madeAt: Time },
  offset: Time,
  { lookback, timing }: Evidence,
): number {
  let newest = Number.NEGATIVE_INFINITY;
  let due = -1;
  for (const [place, happening] of documents.entries()) {
    const stamp = stampOf(happening);
    if (stamp === undefined || stamp <= newest) continue;
    newest = stamp;
    const isHonest = Math.abs(stamp - offset - happening.at) <= 2 * SECOND;
    const isShown = happening.shownFrom + timing.staleFor - (stamp - offset) < lookback - SECOND;
    if (stamp < upTo && isHonest && isShown) due = place;
    else if (stamp >= upTo && happening.at <= madeAt) return -1;
  }
  return due;
}

function stampOf({ document }: Happening): Time | undefined {
  const stamp = document?.updated_at;
  return typeof stamp === 'string' ? timeOf(stamp) : undefined;
}

/** How far the stamps are ahead of the store's time: by a zone that they do not name, most of them. */
function offsetOfStamps(histories: Histories): Time {
  const counts = new Map<number, number>();
  for (const { documents } of histories.values()) {
    for (const happening of documents) {
      const stamp = stampOf(happening);
      if (stamp === undefined || !Number.isFinite(happening.at)) continue;
      const offset = Math.round((stamp - happening.at) / MINUTE) * MINUTE;
      counts.set(offset, (counts.get(offset) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

/** A source that came to rest has reported that it read everything, unless it rests for less than a minute. */
function* judgeLast(
  claims: readonly Claim[],
  evidence: Evidence,
  { isLast, cameToRest, baselineCompletedAt = 0, concluded, forgotten }: SourceEvidence,
): Generator<Problem> {
  if (!evidence.reportsRead || !isLast || !cameToRest) return;
  // A report is written once a minute: the last one may be from before the baseline was completed.
  if ((concluded.at(-1)?.at ?? 0) < baselineCompletedAt + MINUTE) return;
  const { promises } = evidence;
  const { read_up_to: readUpTo, reconciled_through: reconciledThrough } =
    claims.at(-1)?.event.data.object ?? {};
  if (timeOf(readUpTo ?? '') === undefined)
    yield ['G8', '', 'the source came to rest and never reported what is read'];
  // A walk that finds a forgotten group, which waits until the time of the forgetting has come, reports nothing.
  const isLeft = forgotten.length > 0 && !returnsAfterForgetting(evidence);
  if (
    promises.findsRemovals &&
    promises.provesNewest &&
    !isLeft &&
    timeOf(reconciledThrough ?? '') === undefined
  )
    yield ['G8', '', 'the source came to rest and never reported a walk over all groups'];
}
