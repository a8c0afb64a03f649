// G1: once the service has stopped changing, the last event of each entity carries its present state. An entity
// without an event is unchanged since its first reading. Every event in the ledger has arrived at both destinations.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Arrival, Evidence, Happening, SourceEvidence, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { isLeftOut, isReported, isStoppedFromTheStart, isUnknowable } from './lasting-faults.ts';
import { skippedIn } from './skipped.ts';
import {
  type EntityHistory,
  type EntityName,
  type GroupHistory,
  isEntityEvent,
  isState,
  type Kind,
  type PublishedChange,
  type State,
  shownAt,
  stateIn,
  stateNames,
  WATCHED,
} from './states.ts';

export function checkComplete(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  const { startedAt } = source;
  if (startedAt === undefined) {
    // A source without a first state can't report anything.
    if (isStoppedFromTheStart(evidence)) return [];
    return [violation(source, '', 'the source was never started, though the service was available for long')];
  }
  const violations = [...checkArrived(source)];
  if (!source.isLast) return violations;
  // A walk that takes many ticks continues without a report.
  const mustRest = evidence.promises.keepsUp && !isReported(evidence, source);
  if (!source.cameToRest && mustRest) {
    violations.push(
      violation(source, '', 'the service was quiet for hours, and the source was not read completely'),
    );
  }
  for (const [groupId, history] of histories) {
    if (evidence.unreadable.has(groupId)) continue;
    const group = published.get(groupId);
    for (const name of history.entities.keys()) {
      const last = group?.entities.get(name)?.at(-1) ?? forgettingOf(group);
      const problem = judgeEntity(name, history, last, evidence, source);
      const missing = {
        groupId,
        kind: kindOf(name),
        isRemoval: history.entities.get(name)?.at(-1)?.state === undefined,
      };
      if (problem === undefined || isUnknowable(evidence, missing.kind)) continue;
      if (!isReported(evidence, source, missing))
        violations.push(violation(source, `${name} of group ${groupId}`, problem));
    }
    const refunds = { groupId, kind: 'refund_transaction', isRemoval: false };
    if (isUnknowable(evidence, refunds.kind) || isReported(evidence, source, refunds)) continue;
    if (forgettingOf(group) !== undefined && !returnsAfterForgetting(evidence)) continue;
    violations.push(...checkRefunds(groupId, history, group, source, evidence));
  }
  return violations;
}

function violation(source: SourceEvidence, place: string, message: string): Violation {
  return { guarantee: 'G1', source: source.source, place, message };
}

/** Whether a forgotten group must be published again. Not if the service's Date may still be before the forgetting. */
export function returnsAfterForgetting({ promises, timing }: Evidence): boolean {
  return promises.findsRemovals && timing.dateAhead >= 0 && timing.clocksAgree;
}

/** The forgetting of a group without events since. It ended the group's entities as well. */
function forgettingOf(group: PublishedGroup | undefined): PublishedChange | undefined {
  const ofGroup = [...(group?.entities.values() ?? [])].map((changes) => changes.at(-1));
  const hasReturned = ofGroup.some((last) => last?.verb !== 'forgotten' && last?.verb !== 'removed');
  return hasReturned ? undefined : ofGroup.find((last) => last?.verb === 'forgotten');
}

function judgeEntity(
  name: EntityName,
  history: GroupHistory,
  last: { readonly verb: string; readonly state: string } | undefined,
  evidence: Evidence,
  source: SourceEvidence,
): string | undefined {
  const { promises, timing } = evidence;
  const { baseline, startedAt = 0, baselineCompletedAt, arraysStoredFrom } = source;
  const periods = history.entities.get(name) ?? [];
  const isFilledIn = (published: State) =>
    !promises.changesMoveStamps && mayBeFilledIn(published, { kind: kindOf(name), periods, source });
  const present = periods.at(-1)?.state;
  if (present === undefined) {
    const isPublished = last === undefined || last.verb === 'removed' || last.verb === 'forgotten';
    // Walks don't reach the end of a list whose newest groups they can't prove.
    const mustBePublished =
      promises.findsRemovals &&
      promises.provesNewest &&
      (promises.showsEmptyArrays || isArrayShown(history, name));
    return isPublished || !mustBePublished ? undefined : 'is gone and was not published as removed';
  }
  if (last !== undefined) {
    if (last.verb === 'removed') return 'was published as removed and still exists';
    if (last.verb === 'forgotten')
      return returnsAfterForgetting(evidence)
        ? 'was forgotten, still exists, and was not published again'
        : undefined;
    return isState(last.state, present) || isFilledIn(last.state)
      ? undefined
      : `is ${present} and was last published as ${last.state}`;
  }
  // If no answer had shown an array of any group before, its first reading is filled in without an event.
  const storedFrom = promises.showsArrays ? undefined : arraysStoredFrom.get(kindOf(name));
  if (storedFrom !== undefined && wasBy(storedFrom, periods, present)) return undefined;
  // Without a newer stamp this applies until a walk has read the array in every group.
  const mayBeLeftOut = !promises.showedEmptyArrays || isLeftOut(evidence, kindOf(name));
  const isArrayNew = !(promises.changesMoveStamps && promises.showsChangesTogether) && mayBeLeftOut;
  const arrayKnownBy = source.fieldKnownBy(`${kindOf(name)}.id`) ?? Number.POSITIVE_INFINITY;
  if (isArrayNew && wasBy(arrayKnownBy, periods, present)) return undefined;
  // The baseline does not reach the end of such a list either.
  if (baseline === 'emit' && !promises.provesNewest) return undefined;
  if (baseline === 'emit') return `was never published, though the baseline emits everything (${name})`;
  // The first answers may have been older: they showed a group that was removed just then.
  const atStart = [startedAt, startedAt - timing.slowestAnswer].map((at) =>
    stateIn(shownAt(history, at), name),
  );
  if (atStart.some((state) => isState(state, present) || (state !== undefined && isFilledIn(state))))
    return undefined;
  const until = baselineCompletedAt ?? Number.POSITIVE_INFINITY;
  if (!promises.changesMoveStamps && wasBy(until, periods, present)) return undefined;
  // The baseline read it, and later its new fields were filled in.
  const atBaseline = stateIn(shownAt(history, until), name);
  if (atBaseline !== undefined && isFilledIn(atBaseline)) return undefined;
  return `is ${present} and was never published, though it changed after the start`;
}

interface Filled {
  readonly kind: string;
  readonly periods: EntityHistory;
  readonly source: SourceEvidence;
}

/**
 * Returns whether an entity may have reached its present state without an event and a newer stamp, by fields that appeared
 * for the first time: until a walk has read a field in every group, its value counts as old.
 */
function mayBeFilledIn(published: State, { kind, periods, source }: Filled): boolean {
  const before = fieldsIn(published);
  const present = fieldsIn(periods.at(-1)?.state ?? '[]');
  return WATCHED[kind as Kind].every((field, place) => {
    const value = present[place];
    if (value === before[place]) return true;
    if (before[place] !== NOTHING && before[place] !== EMPTY) return false;
    const until = source.fieldKnownBy(`${kind}.${field}`) ?? Number.POSITIVE_INFINITY;
    return periods.some(
      ({ from, state }) => from <= until && state !== undefined && fieldsIn(state)[place] === value,
    );
  });
}

const NOTHING = JSON.stringify(null);
const EMPTY = JSON.stringify([]);

/** A state's fields, each as text. */
function fieldsIn(state: State): string[] {
  return (JSON.parse(state) as unknown[]).map((value) => JSON.stringify(value));
}

/** Returns whether the entity had its present state at some time up to `then`. */
function wasBy(then: number, periods: EntityHistory, present: string): boolean {
  return periods.some(({ from, state }) => from <= then && isState(state, present));
}

/** Returns whether the array of a missing entity is still shown, without it. A missing group is always found. */
function isArrayShown({ documents }: GroupHistory, name: EntityName): boolean {
  const document = documents.at(-1)?.document;
  return document === undefined || [...stateNames(document)].some((other) => kindOf(other) === kindOf(name));
}

function kindOf(name: EntityName): string {
  return name.slice(0, name.indexOf('/'));
}

/** Counts refunds, because the service gives them no ids. A published refund is not published again. */
function checkRefunds(
  groupId: number,
  { documents }: GroupHistory,
  group: PublishedGroup | undefined,
  source: SourceEvidence,
  evidence: Evidence,
): Violation[] {
  const { promises } = evidence;
  if (documents.at(-1)?.document === undefined) return [];
  const lastNumber = group?.changes.at(-1)?.event.data.sequence ?? 0;
  const isForgotten = source.forgotten.some((each) => each.groupId === groupId && each.through >= lastNumber);
  if (isForgotten && !returnsAfterForgetting(evidence)) return [];
  const { baseline, startedAt = 0, baselineCompletedAt = Number.POSITIVE_INFINITY } = source;
  const changes = sinceLastCreation(group?.changes ?? []);
  const published = changes.filter(({ kind }) => kind === 'refund_transaction').length;
  // Without newer stamps, refunds count as known without an event until the baseline may have read them; and the first
  // that any group shows, if the service leaves out empty arrays, until a walk has read the array in every group.
  const mayBeNew = !promises.showsChangesTogether && !promises.showedEmptyArrays;
  const arrayKnownBy = source.fieldKnownBy('refund_transaction.id') ?? Number.POSITIVE_INFINITY;
  const stampedFrom = mayBeNew ? Math.max(startedAt, arrayKnownBy) : startedAt;
  const knownBy = promises.changesMoveStamps ? stampedFrom : baselineCompletedAt;
  // A group that is removed just then was read before.
  const atStart = refundsOf(
    documents.findLast(({ document, shownFrom }) => document !== undefined && shownFrom <= knownBy),
  );
  const atEnd = refundsOf(documents.at(-1));
  const isAnnounced = changes[0]?.verb === 'created' && changes[0].kind === 'return_group';
  const isShown = promises.showsArrays && (promises.changesMoveStamps || promises.showedEmptyArrays);
  const mustPublishAll =
    isShown && !mayBeNew && (isAnnounced || (baseline === 'emit' && promises.provesNewest));
  const atFirst = isShown ? atStart : atEnd;
  const least = mustPublishAll ? atEnd : atEnd - atFirst;
  if (published >= least && published <= atEnd) return [];
  return [
    violation(
      source,
      `group ${groupId}`,
      `has ${atEnd} refunds, ${atStart} at the start; ${published} were published`,
    ),
  ];
}

/** A group that returns is announced with all its entities. */
function sinceLastCreation(changes: readonly PublishedChange[]): readonly PublishedChange[] {
  const created = changes.findLastIndex(({ kind, verb }) => kind === 'return_group' && verb === 'created');
  return changes.slice(Math.max(0, created));
}

function refundsOf(happening: Happening | undefined): number {
  const refunds = happening?.document?.refund_transactions;
  return Array.isArray(refunds) ? refunds.length : 0;
}

/** An earlier generation does not report unsent events of a forgotten group: their next number may be in use. */
function isErasedUnreported({ isLast, forgotten }: SourceEvidence, event: FeedEvent): boolean {
  if (isLast || !isEntityEvent(event)) return false;
  const { return_group: group, sequence } = event.data;
  return forgotten.some(({ groupId, through }) => groupId === group.id && sequence <= through);
}

function checkArrived(source: SourceEvidence): Violation[] {
  // A replay repeats events that have arrived. It must not be the only arrival of an event.
  const arrivedAt = (arrivals: readonly Arrival[]) =>
    new Set(arrivals.filter(({ event }) => event.replayid === undefined).map(({ event }) => event.id));
  const skipped = skippedIn(source);
  const atQueue = arrivedAt(source.queue);
  const onBus = arrivedAt(source.bus);
  const lost = source.written.filter(({ event }) => {
    if (event.type === 'feed.source_read' || isErasedUnreported(source, event)) return false;
    return (
      !(onBus.has(event.id) || skipped('bus', event)) ||
      (isEntityEvent(event) && !(atQueue.has(event.id) || skipped('queue', event)))
    );
  });
  return lost.map(({ event }) => violation(source, event.id, 'was written and did not arrive everywhere'));
}
