// G1: once the service has stopped changing, the last event of each entity carries its present state: after two rounds of
// late changes if the change moved the stamp, and after two walks in any case. An entity without an event is as it was
// when its group was first read. Every event in the ledger has arrived at both destinations.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { Arrival, Evidence, SourceEvidence, Time, Violation } from './evidence.ts';
import { type PublishedGroup, publishedGroups } from './groups.ts';
import { setAside } from './set-aside.ts';
import { skippedIn } from './skipped.ts';
import { timeOf } from './stamps.ts';
import {
  type EntityHistory,
  type EntityName,
  entitiesOf,
  type GroupHistory,
  isEntityEvent,
  isForgottenEvent,
  type Kind,
  type PublishedChange,
  type State,
  stateNames,
  WATCHED,
} from './states.ts';

const SECOND = 1_000_000;

type Histories = ReadonlyMap<number, GroupHistory>;

export function checkComplete(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: Histories,
): Violation[] {
  const arrived = checkArrived(source);
  if (!source.isLast) return arrived;
  const missing = [...missingIn(evidence, source, published, histories)];
  // A strange service hides changes. The source has to report that something is wrong.
  if (!evidence.isStrange) return [...arrived, ...missing];
  const isReported = source.written.some(({ event }) => event.type === 'feed.source_degraded');
  const [first] = missing;
  if (first === undefined || isReported) return arrived;
  return [...arrived, { ...first, message: `${first.message}, and the source never was degraded` }];
}

function* missingIn(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: Histories,
): Generator<Violation> {
  const violation = (place: string, message: string): Violation => ({
    guarantee: 'G1',
    source: source.source,
    place,
    message,
  });
  if (source.startedAt === undefined) {
    yield violation('', 'the source was never started, though the service was available for long');
    return;
  }
  if (!source.isAtRest) {
    const why = source.reasons.join(', ') || 'well';
    yield violation('', `the service was quiet for long, and the source was not read completely (${why})`);
  }
  // Adopted changes have no events.
  if (source.hasAdopted) return;
  const judge = new Judge(evidence, source);
  const isExcepted = exceptionsOf(evidence, source, histories);
  // A place stands for some minutes after its row has stopped failing.
  const wasSetAside = setAside(evidence, histories, 'ever');
  for (const [groupId, history] of histories) {
    if (isExcepted(groupId)) continue;
    const group = published.get(groupId);
    for (const name of history.entities.keys()) {
      const problem = judge.entity(name, groupId, history, group);
      if (problem !== undefined) yield violation(`${name} of group ${groupId}`, problem);
    }
    const problem = judge.refunds(groupId, history, group);
    if (problem !== undefined) yield violation(`group ${groupId}`, problem);
  }
  const { polledBy, pollsMiss } = source;
  if (polledBy === undefined || pollsMiss || evidence.isStrange) return;
  const written = source.written.filter(({ at }) => at <= polledBy);
  const known = publishedGroups({ ...source, written });
  for (const [groupId, history] of histories) {
    const wasUnread =
      wasSetAside(groupId) || evidence.tooLarge.has(groupId) || evidence.everUnreadable.has(groupId);
    // What changed before the source's start waits for walks where the baseline did not see it.
    const isOlder = (history.documents.at(-1)?.at ?? 0) < (source.origin?.at ?? 0);
    if (isExcepted(groupId) || wasUnread || isOlder || !movedItsStampLast(history)) continue;
    // A walk finds it again.
    if (forgettingOf(known.get(groupId)) !== undefined) continue;
    for (const name of entitiesOf(history.documents.at(-1)?.document ?? { id: groupId }).keys()) {
      const problem = judge.entity(name, groupId, history, known.get(groupId));
      if (problem !== undefined)
        yield violation(`${name} of group ${groupId}`, `after two polls, ${problem}`);
    }
  }
}

/** Returns whether a group is unreadable, in a place that is set aside, or hidden since its creation. */
function exceptionsOf(
  evidence: Evidence,
  { storedFrom }: SourceEvidence,
  histories: Histories,
): (groupId: number) => boolean {
  const { unreadable, hidden } = evidence;
  const isSetAside = setAside(evidence, histories, 'in the end');
  const isHidden = (groupId: number) => hidden.has(groupId) && storedFrom(groupId) === undefined;
  return (groupId) => unreadable.has(groupId) || isSetAside(groupId) || isHidden(groupId);
}

/** Whether a group's last change moved its stamp, and no earlier stamp was newer. */
function movedItsStampLast({ documents }: GroupHistory): boolean {
  const stamps = documents.map(({ document }) => timeOf(String(document?.updated_at)) ?? Number.NaN);
  const last = stamps.at(-1) ?? Number.NaN;
  return stamps.length > 1 && stamps.slice(0, -1).every((stamp) => Number.isNaN(stamp) || stamp < last);
}

class Judge {
  readonly #evidence: Evidence;
  readonly #source: SourceEvidence;

  constructor(evidence: Evidence, source: SourceEvidence) {
    this.#evidence = evidence;
    this.#source = source;
  }

  /** Returns what is wrong with the last event of an entity, or with its absence. */
  entity(
    name: EntityName,
    groupId: number,
    history: GroupHistory,
    group: PublishedGroup | undefined,
  ): string | undefined {
    const periods = history.entities.get(name) ?? [];
    const present = periods.at(-1)?.state;
    const last = group?.entities.get(name)?.at(-1) ?? forgettingOf(group);
    if (present === undefined) {
      // The removal of a group ends its entities, and its return announces those that it has.
      const isAnnouncedWhole = group?.changes.some(
        ({ kind, verb }) => kind === 'return_group' && verb !== 'updated',
      );
      return last === undefined && isAnnouncedWhole ? undefined : this.#gone(name, groupId, history, last);
    }
    // It may have been read later than its group, and then it was as it is.
    if (last === undefined && this.#evidence.everBroken.has(groupId)) return undefined;
    if (last === undefined) return this.#unpublished(name, groupId, history, present);
    if (last.verb === 'removed') return 'was published as removed and still exists';
    if (last.verb === 'forgotten') return 'was forgotten, still exists, and was not published again';
    if (last.state === present || this.#isFilledIn(name, last.state, periods)) return undefined;
    return `is ${present} and was last published as ${last.state}`;
  }

  #gone(
    name: EntityName,
    groupId: number,
    history: GroupHistory,
    last: PublishedChange | undefined,
  ): string | undefined {
    if (last?.verb === 'removed' || last?.verb === 'forgotten') return undefined;
    // Missing groups of a crowd that was not read to its end wait.
    if (this.#source.leavesCrowds && history.documents.at(-1)?.document === undefined) return undefined;
    // An array that is left out when it is empty does not show that its last entity is gone.
    const isShown = this.#evidence.showsEmptyArrays || isArrayShown(history, name);
    if (!isShown || (last === undefined && !this.#wasStored(name, groupId, history))) return undefined;
    return 'is gone and was not published as removed';
  }

  /** Whether every answer that the first reading of the group may have been showed the entity. */
  #wasStored(name: EntityName, groupId: number, { showings }: GroupHistory): boolean {
    const at = this.#source.storedFrom(groupId);
    if (at === undefined) return false;
    // A strange service may leave out any array.
    if (this.#evidence.isStrange && !this.#evidence.showsEmptyArrays) return false;
    const from = at - this.#evidence.timing.slowestAnswer;
    const read = showings.filter((showing) => showing.from <= at && showing.to > from);
    return read.every(({ document }) => document !== undefined && entitiesOf(document).has(name));
  }

  /** An entity without an event is as it was when its group was first read, if that was no news. */
  #unpublished(name: EntityName, groupId: number, history: GroupHistory, present: State): string | undefined {
    const periods = history.entities.get(name) ?? [];
    const storedFrom = this.#source.storedFrom(groupId);
    if (storedFrom === undefined) return 'was never read';
    const arrayKnownBy = this.#source.fieldKnownBy(`${kindOf(name)}.id`) ?? Number.POSITIVE_INFINITY;
    if (!this.#evidence.showsEmptyArrays && wasBy(arrayKnownBy, periods, present)) return undefined;
    if (this.#isAnnounced(history)) return `was never published (${name}), though its group is news`;
    const first = periods.find(({ state }) => state !== undefined)?.state;
    const isAsRead = wasBy(storedFrom, periods, present);
    if (isAsRead || this.#isFilledIn(name, first, periods)) return undefined;
    return `is ${present} and was never published, though its group was known before`;
  }

  /** Whether the first sight of a group is an event: all are if the baseline emits, or else those created later. */
  #isAnnounced({ documents }: GroupHistory): boolean {
    const { baseline, origin } = this.#source;
    if (baseline === 'emit') return true;
    // A strange service may date a group's creation as it likes.
    if (this.#evidence.isStrange) return false;
    const created = documents.find(({ document }) => document !== undefined)?.document?.created_at;
    // Stamps may be shown in whole seconds.
    return origin !== undefined && (timeOf(String(created)) ?? 0) > origin.stamp + SECOND;
  }

  /**
   * Whether an entity may have reached its present state without an event by fields that appeared for the first time:
   * where the service leaves out nulls, a value counts as old until a walk has read the field in every group.
   */
  #isFilledIn(name: EntityName, before: State | undefined, periods: EntityHistory): boolean {
    if (this.#evidence.showsNulls || before === undefined) return false;
    const kind = kindOf(name) as Kind;
    const was = fieldsIn(before);
    const present = fieldsIn(periods.at(-1)?.state ?? '[]');
    return WATCHED[kind].every((field, place) => {
      const value = present[place];
      if (value === was[place]) return true;
      if (was[place] !== NOTHING && was[place] !== EMPTY) return false;
      const until = this.#source.fieldKnownBy(`${kind}.${field}`) ?? Number.POSITIVE_INFINITY;
      return periods.some(
        ({ from, state }) => from <= until && state !== undefined && fieldsIn(state)[place] === value,
      );
    });
  }

  /** Counts refunds, because the service gives them no ids. A published refund is not published again. */
  refunds(groupId: number, history: GroupHistory, group: PublishedGroup | undefined): string | undefined {
    const { documents, showings } = history;
    const storedFrom = this.#source.storedFrom(groupId);
    if (documents.at(-1)?.document === undefined || storedFrom === undefined) return undefined;
    if (forgettingOf(group) !== undefined) return undefined;
    const changes = sinceLastCreation(group?.changes ?? []);
    const published = changes.filter(({ kind }) => kind === 'refund_transaction').length;
    const atEnd = refundsOf(documents.at(-1));
    const from = storedFrom - this.#evidence.timing.slowestAnswer;
    const read = showings.filter((showing) => showing.from <= storedFrom && showing.to > from);
    const isNews = changes[0]?.verb === 'created' && changes[0].kind === 'return_group';
    const atFirst = isNews ? 0 : Math.max(0, ...read.map(refundsOf));
    const least = this.#evidence.showsEmptyArrays ? atEnd - atFirst : 0;
    if (published >= least && published <= atEnd) return undefined;
    return `has ${atEnd} refunds, ${atFirst} when it was first read; ${published} were published`;
  }
}

/** The forgetting of a group without events since. It ended the group's entities as well. */
function forgettingOf(group: PublishedGroup | undefined): PublishedChange | undefined {
  // Refunds have no state to be forgotten.
  const ofGroup = [...(group?.entities.entries() ?? [])]
    .filter(([name]) => kindOf(name) !== 'refund_transaction')
    .map(([, changes]) => changes.at(-1));
  const hasReturned = ofGroup.some((last) => last?.verb !== 'forgotten' && last?.verb !== 'removed');
  return hasReturned ? undefined : ofGroup.find((last) => last?.verb === 'forgotten');
}

const NOTHING = JSON.stringify(null);
const EMPTY = JSON.stringify([]);

/** A state's fields, each as text. */
function fieldsIn(state: State): string[] {
  return (JSON.parse(state) as unknown[]).map((value) => JSON.stringify(value));
}

/** Returns whether the entity had its present state at some time up to `then`. */
function wasBy(then: Time, periods: EntityHistory, present: State): boolean {
  return periods.some(({ from, state }) => from <= then && state === present);
}

/** Returns whether the array of a missing entity is still shown, without it. A missing group is always found. */
function isArrayShown({ documents }: GroupHistory, name: EntityName): boolean {
  const document = documents.at(-1)?.document;
  return document === undefined || [...stateNames(document)].some((other) => kindOf(other) === kindOf(name));
}

function kindOf(name: EntityName): string {
  return name.slice(0, name.indexOf('/'));
}

/** A group that returns is announced with all its entities. */
function sinceLastCreation(changes: readonly PublishedChange[]): readonly PublishedChange[] {
  const created = changes.findLastIndex(({ kind, verb }) => kind === 'return_group' && verb === 'created');
  return changes.slice(Math.max(0, created));
}

function refundsOf(shown: { readonly document: Readonly<Record<string, unknown>> | undefined } | undefined) {
  const refunds = shown?.document?.refund_transactions;
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
      ((isEntityEvent(event) || isForgottenEvent(event)) &&
        !(atQueue.has(event.id) || skipped('queue', event)))
    );
  });
  return lost.map(({ event }) => ({
    guarantee: 'G1',
    source: source.source,
    place: event.id,
    message: 'was written and did not arrive everywhere',
  }));
}
