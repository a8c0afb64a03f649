// G1: what `feed.source_read` claims is true when it is written. The stored state of every group is one that the group
// had later than the claim reaches, or the event counts something as left out.
//
// `polled_at` covers changes that moved their group's stamp and were made `lookback` and `settle` before, `walked_at` all
// that showed two `settle` before. Not claimed: removals, which take two readings; refunds, which have no state; groups
// that changed again while they were polled.
import type { Claim, Evidence, Happening, SourceEvidence, StoredState, Time, Violation } from './evidence.ts';
import { timeOf } from './stamps.ts';
import { type EntityName, entitiesOf, type GroupHistory, type State } from './states.ts';

type Entities = ReadonlyMap<EntityName, State>;
/** What a claim promises of a group: that its stored state is one of these. */
interface Promised {
  readonly by: 'polled_at' | 'walked_at';
  readonly states: readonly Entities[];
}

export function checkClaims(
  evidence: Evidence,
  source: SourceEvidence,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  const violations: Violation[] = [];
  const stored = savesByGroup(source.stored);
  for (const [groupId, history] of histories) {
    const broken = new Map<Promised['by'], Claim[]>();
    for (const [claim, save] of withLastSave(source.claims, stored.get(groupId) ?? [])) {
      if (claim.leftOut > 0 || isForgottenSince(claim, save, evidence)) continue;
      for (const { by, states } of promisesOf(claim, history, evidence, source))
        if (!states.some((state) => isKnown(save, state, evidence)))
          broken.set(by, [...(broken.get(by) ?? []), claim]);
    }
    for (const [by, claims] of broken)
      violations.push({
        ...{ guarantee: 'G1', source: source.source, place: `group ${groupId}` },
        message: describe(by, claims, stored.has(groupId)),
      });
  }
  return violations;
}

function describe(by: Promised['by'], [first, ...more]: readonly Claim[], isStored: boolean): string {
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const claim = `${by} of ${first?.event.id}${others}`;
  return isStored
    ? `is stored in an older state than ${claim} covers, and nothing counts as left out`
    : `is not stored, though ${claim} covers it, and nothing counts as left out`;
}

function savesByGroup(saves: readonly StoredState[]): ReadonlyMap<number, StoredState[]> {
  const byGroup = new Map<number, StoredState[]>();
  for (const save of saves) {
    const known = byGroup.get(save.groupId);
    if (known === undefined) byGroup.set(save.groupId, [save]);
    else known.push(save);
  }
  return byGroup;
}

/** Each claim with the last save of a group before it. Both are in order of time. */
function* withLastSave(
  claims: readonly Claim[],
  saves: readonly StoredState[],
): Generator<[Claim, StoredState | undefined]> {
  let next = 0;
  for (const claim of claims) {
    while ((saves[next]?.at ?? Number.POSITIVE_INFINITY) <= claim.at) next += 1;
    yield [claim, saves[next - 1]];
  }
}

function walkedThrough({ walkedAt = Number.NEGATIVE_INFINITY }: Claim, { timing }: Evidence): Time {
  // A process that froze while an answer arrived takes it for newer than it is, and a later one for doubtful.
  return walkedAt - 2 * timing.settle - timing.clocksOff - timing.longestFreeze - timing.lag;
}

/** Only a later walk finds again what an operator forgot. */
function isForgottenSince(claim: Claim, save: StoredState | undefined, evidence: Evidence): boolean {
  return save?.isForgotten === true && save.at > walkedThrough(claim, evidence);
}

function* promisesOf(
  claim: Claim,
  history: GroupHistory,
  evidence: Evidence,
  source: SourceEvidence,
): Generator<Promised> {
  const polled = polledStates(claim, history, evidence, source);
  if (polled !== undefined) yield { by: 'polled_at', states: polled };
  if (claim.walkedAt === undefined) return;
  const through = walkedThrough(claim, evidence);
  const shown = history.showings.filter(({ from, to }) => to > through && from <= claim.at);
  yield { by: 'walked_at', states: shown.map(({ document }) => stateOf(document)) };
}

/** The states since the last change that `polled_at` covers; undefined if it covers none of the group. */
function polledStates(
  claim: Claim,
  { documents }: GroupHistory,
  { timing, lookback, pagesShortened }: Evidence,
  { origin }: SourceEvidence,
): Entities[] | undefined {
  const { polledAt, walkedAt = Number.NEGATIVE_INFINITY, at: madeAt } = claim;
  if (polledAt === undefined) return undefined;
  // Polls take short pages for whole ones until a walk lacks known groups.
  if (pagesShortened.some((at) => at <= madeAt && at >= walkedAt)) return undefined;
  const moves = movesOf(documents);
  const isDue = ({ at }: Happening) => at <= polledAt - lookback - timing.settle - timing.clocksOff;
  const due = moves.findLastIndex(isDue);
  const move = moves[due];
  if (move === undefined) return undefined;
  // The first answer that shows a group may come from a copy that lags, and polls begin when the feed does.
  if (timing.lag > 0 && move.at <= (origin?.at ?? 0)) return undefined;
  // It left the range that a request was for before the request, and came into one that was already read.
  const mayBePassed = moves.slice(due + 1).some(({ at, shownFrom }) => {
    const shownByAll = Math.max(shownFrom, at + timing.staleFor);
    return shownByAll >= polledAt - timing.clocksOff && shownFrom <= madeAt;
  });
  if (mayBePassed) return undefined;
  return documents
    .slice(documents.indexOf(move))
    .filter(({ at }) => at <= madeAt)
    .map(({ document }) => stateOf(document));
}

/** The states that moved the stamp beyond every one before. */
function movesOf(documents: readonly Happening[]): Happening[] {
  let newest = Number.NEGATIVE_INFINITY;
  return documents.filter(({ document }) => {
    const stamp = document === undefined ? undefined : timeOf(String(document.updated_at));
    if (stamp === undefined || stamp <= newest) return false;
    newest = stamp;
    return true;
  });
}

const NOTHING: Entities = new Map();

function stateOf(document: Happening['document']): Entities {
  return document === undefined ? NOTHING : entitiesOf(document);
}

/** Whether the stored state has every entity as it was shown. More may be stored: removals are not claimed. */
function isKnown(save: StoredState | undefined, shown: Entities, { showsNulls }: Evidence): boolean {
  if (shown.size === 0) return true;
  const stored = stateOf(save?.document);
  return [...shown].every(([name, state]) => {
    const known = stored.get(name);
    return known !== undefined && (known === state || (!showsNulls && isFilledIn(known, state)));
  });
}

/** Whether a stored state has all fields that were shown: the values of fields that are left out stay. */
function isFilledIn(known: State, shown: State): boolean {
  const before = JSON.parse(known) as unknown[];
  const values = JSON.parse(shown) as unknown[];
  return values.every(
    (value, place) =>
      value === null ||
      (Array.isArray(value) && value.length === 0) ||
      JSON.stringify(value) === JSON.stringify(before[place]),
  );
}
