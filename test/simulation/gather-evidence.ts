// Turns the remains of a run into the checker's evidence: plain data, in the terms of the service and the events.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { deviate } from '../../local/reference-service/showing/deviate.ts';
import { showGroup } from '../../local/reference-service/showing/show-group.ts';
import { createStampForm } from '../../local/reference-service/showing/stamp-form.ts';
import { spoiltArray } from '../../local/reference-service/showing/unreadable.ts';
import { createRandom } from '../../local/reference-service/store/seeded-random.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type Instant, MILLISECOND, SECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { causesOf } from './causes.ts';
import type { Evidence, GroupDocument, Happening, SourceEvidence, Timing } from './checker/evidence.ts';
import { nameOfShape } from './lasting-fault.ts';
import { isSteady } from './plan.ts';
import { changesLooks } from './turn.ts';
import type { ArraysStored } from './watch-arrays.ts';
import type { FieldsWatched } from './watch-fields.ts';
import type { Forgotten } from './world/operations.ts';
import type { HeldTime } from './world/operator.ts';
import type { Pollers } from './world/pollers.ts';
import type { Look } from './world/turns.ts';
import { FIRST_TOKEN, OTHER_TOKEN, SECOND_TOKEN, type World } from './world/world.ts';

/** A source starts with its first state, and starts again when an operator starts a new generation. */
interface Start {
  readonly generation: string;
  readonly baseline: 'silent' | 'emit';
  /** When its first state was saved. */
  readonly at: Instant;
}

/** By source, in order of time. */
type Starts = ReadonlyMap<string, readonly Start[]>;

/** The observations of a run, besides its world. */
export interface Observed {
  readonly pollers: readonly Pollers[];
  readonly starts: Starts;
  readonly forgotten: readonly Forgotten[];
  readonly operatorErrors: readonly Error[];
  readonly arraysStored: ArraysStored;
  readonly fields: FieldsWatched;
  /** How the service showed its groups, over time. */
  readonly looks: readonly Look[];
  readonly held: readonly HeldTime[];
  /** Whether each source came to rest in the end, by its name. */
  readonly settled: ReadonlyMap<string, boolean>;
  /** The states of all sources, as last saved. */
  readonly states: readonly unknown[];
}

/** Notes when sources start: from then on every change must be published. */
export function watchStarts({ stores, time }: World): Starts {
  const starts = new Map<string, Start[]>();
  const { save } = stores.states;
  stores.states.save = async (state: SourceState, expectedVersion: number) => {
    const result = await save(state, expectedVersion);
    const known = starts.get(state.source) ?? [];
    starts.set(state.source, known);
    const { generation, baseline } = state;
    const isNew = !known.some((start) => start.generation === generation);
    if (result === 'saved' && isNew) known.push({ generation, baseline: baseline.mode, at: time.now() });
    return result;
  };
  return starts;
}

export function gatherEvidence(world: World, observed: Observed): Evidence {
  const { plan, service, network, time, logged } = world;
  const { settings, outage, secret, turns = [] } = plan;
  const { fail, lost, clockJump, freeze } = plan.faults;
  const knobs = service.control.knobs();
  const startedAt = time.now() - time.elapsed();
  // A newline does not lock anybody out.
  const closed = outage ?? (secret?.kind === 'newline' ? undefined : secret);
  const unreadableEvery = knobs.unreadableEvery;
  const happenings = happeningsOf(world, observed.looks);
  const namesZones = [plan, ...turns].every(
    ({ knobs: { stampForm = 'Z' } }) => !stampForm.startsWith('none'),
  );
  const leavesNoArrayOut = (plan.knobs.arrays ?? 'full') === 'full';
  const ids = new Set(happenings.map(({ groupId }) => groupId));
  const unreadable = new Set([...ids].filter((id) => unreadableEvery > 0 && id % unreadableEvery === 0));
  const sources = observed.pollers.map(({ source }) => source);
  return {
    sources: observed.pollers.flatMap((pollers) => sourceEvidences(world, observed, pollers)),
    happenings,
    isSteady: isSteady(plan),
    unreadable,
    unreadableInTheEnd: unreadableInTheEnd(world, unreadable),
    promises: {
      findsRemovals: plan.reconciles,
      changesMoveStamps:
        plan.knobs.touches === undefined &&
        !turns.some((turn) => changesLooks(turn) || 'touches' in turn.knobs) &&
        plan.mishap?.kind !== 'changed without stamps' &&
        (knobs.absurdEvery === 0 || knobs.absurdStamps === 'ahead'),
      showsEmptyArrays: knobs.arrays === 'full',
      showedEmptyArrays: [plan, ...turns].every(({ knobs: { arrays = 'full' } }) => arrays === 'full'),
      showsArrays:
        ![plan, ...turns].some(({ knobs }) => knobs.arrays === 'flicker') &&
        plan.lasting?.shape.kind !== 'array',
      showsNulls: [plan, ...turns].every(({ knobs: { nulls = 'present' } }) => nulls === 'present'),
      leavesNoArrayOut,
      keepsUp: keepsUp(plan, knobs, namesZones),
      namesZones,
      stampsTellTime: knobs.absurdEvery === 0,
      endsLists: knobs.pageBytes === 0 || !plan.crowds,
      tellsFractions: knobs.stampPrecision !== 's',
      showsWhatIs: plan.mishap === undefined,
      showsWhole: leavesNoArrayOut && knobs.removals === 0 && plan.mishap === undefined,
      savesPauses: [fail, lost, clockJump, freeze].every((share) => share === 0),
    },
    causes: causesOf(plan, unreadable.size > 0),
    timing: timingOf(world),
    sent: network.sent,
    askedPauses: network.askedPauses,
    requestsPerMinute: settings.requestsPerMinute,
    lookback: settings.lookbackMs * MILLISECOND,
    reportsRead: settings.sourceRead,
    secrets: secretsOf(world),
    personalNames: personalNamesOf(world),
    stored: [...observed.states, ...sources.flatMap((source) => storedOf(world, source))],
    logged,
    outage: closed && {
      from: startedAt + closed.fromMs * MILLISECOND,
      to: startedAt + Math.min(closed.fromMs + closed.forMs, plan.activeMs) * MILLISECOND,
    },
    lasting: lastingOf(world, startedAt),
    endedAt: time.now(),
    strayWrites: observed.pollers.flatMap((pollers) => pollers.strayWrites()),
    ownErrors: [...observed.pollers.flatMap(({ ownErrors }) => ownErrors), ...observed.operatorErrors].map(
      (error) => error.stack ?? error.message,
    ),
  };
}

/** Groups whose unreadable part is not in an array that is left out for ever. */
function unreadableInTheEnd({ plan, service }: World, unreadable: ReadonlySet<number>): ReadonlySet<number> {
  const { unreadableAs, unreadableEvery } = service.control.knobs();
  const { shape, forMs } = plan.lasting ?? {};
  if (shape?.kind !== 'array' || forMs !== undefined) return unreadable;
  const isLeftOut = (id: number) => spoiltArray(unreadableAs, id / unreadableEvery) === shape.name;
  return new Set([...unreadable].filter((id) => !isLeftOut(id)));
}

/** A new token may be found and confirmed some ticks after its exchange. */
const TOKEN_IS_FOUND_WITHIN_MS = 300_000;

/** A page that the feed tries when larger ones fail (shared/reading/page-source.ts). */
const FEW_ROWS = 10;

function lastingOf({ plan, faultyGroups }: World, startedAt: Instant): Evidence['lasting'] {
  const { lasting, settings, activeMs, rotationMs } = plan;
  if (lasting === undefined) return undefined;
  const { fromMs, forMs } = lasting;
  const toMs = forMs === undefined ? undefined : Math.min(fromMs + forMs, activeMs);
  return {
    shape: nameOfShape(lasting.shape),
    what: lasting.what,
    letsFewRowsPass: lasting.shape.kind === 'limit' && lasting.shape.above >= FEW_ROWS,
    groups: faultyGroups,
    from: startedAt + fromMs * MILLISECOND,
    to: toMs === undefined ? undefined : startedAt + toMs * MILLISECOND,
    exchangesToken: rotationMs !== undefined && rotationMs + TOKEN_IS_FOUND_WITHIN_MS > fromMs,
    cycle: settings.reconcileMs * MILLISECOND,
  };
}

/** A Date has whole seconds, and is set before the answer is sent. */
const DATE_IS_KNOWN_TO = 2 * SECOND;
/** A smaller jump of a clock looks like a suspended machine (service-clock.ts). */
const LONGEST_UNSEEN_SUSPENSION = 2 * SECOND;
/** The longest freeze of a process after an answer arrived (process.ts). */
const LONGEST_FREEZE = 181 * SECOND;
/** The largest drift of a clock (world.ts). */
const LARGEST_DRIFT = 0.0002;

function longestFreezeOf({ faults }: World['plan']): number {
  return faults.freeze > 0 ? LONGEST_FREEZE : 0;
}

function timingOf({ plan, service, time, suspendedUnseen }: World): Timing {
  const { date, dateSkewSeconds, staleShare, staleSeconds } = service.control.knobs();
  const hasDate = date === 'present';
  const staleFor = staleShare > 0 ? Math.ceil(staleSeconds * SECOND) : 0;
  const longestExchange = plan.settings.requestTimeoutMs * MILLISECOND + longestFreezeOf(plan);
  return {
    hasDate,
    clocksAgree: plan.clockSkewMs === 0 && plan.faults.clockJump === 0,
    dateAhead: hasDate ? dateSkewSeconds * SECOND : 0,
    drift:
      (hasDate ? 0 : Math.ceil(time.elapsed() * LARGEST_DRIFT)) +
      // Nothing shows a suspension while the clock is set back by as much (docs/guarantees.md, "Time").
      (plan.faults.clockJump > 0 ? suspendedUnseen() : 0),
    lateBy: DATE_IS_KNOWN_TO + (plan.faults.clockJump > 0 ? LONGEST_UNSEEN_SUSPENSION : 0),
    slowestAnswer: longestExchange + staleFor + DATE_IS_KNOWN_TO,
    longestExchange,
    settle: plan.settings.settleMs * MILLISECOND,
    staleFor,
    knowsTheTime: plan.faults.clockJump === 0 && plan.faults.freeze === 0,
  };
}

function storedOf({ stores }: World, source: string): unknown[] {
  const own = stores.inserted.filter(({ key }) => key.source === source);
  const generations = new Set(own.map(({ key }) => key.generation));
  return [...generations].flatMap((generation) => stores.snapshots.all({ source, generation }));
}

/** With pages of fewer rows a tick may have no room for the groups of a day. */
const FEWEST_ROWS = 3;
/** With fewer requests allowed in a minute, nor may any tick. */
const FEWEST_A_MINUTE = 30;

/**
 * Whether a tick has room for what only can be read in one go: the groups of a day, where stamps name no zone, and rows
 * without an id that fill a page.
 */
function keepsUp({ lasting }: World['plan'], knobs: Knobs, namesZones: boolean): boolean {
  const isLimited = lasting?.shape.kind === 'limit';
  const isTight = knobs.rateLimit > 0 && knobs.rateLimit < FEWEST_A_MINUTE;
  if (namesZones) return knobs.unreadableEvery === 0 || (knobs.limitMax > 1 && !isLimited && !isTight);
  const isCut = knobs.offsetMax > 0 || lasting?.shape.kind === 'offset';
  return knobs.limitMax >= FEWEST_ROWS && !isCut && !isTight && !isLimited;
}

/** Operations that skip or forget events. */
const SKIPPING: ReadonlySet<string> = new Set(['forget', 'redrive and skip']);

/** One per generation. In earlier generations the published events are judged, but not the missing ones. */
function sourceEvidences(world: World, observed: Observed, pollers: Pollers): SourceEvidence[] {
  const starts = observed.starts.get(pollers.source) ?? [];
  if (starts.length === 0) return [sourceEvidence(world, observed, pollers, undefined, true)];
  return starts.map((start, index) =>
    sourceEvidence(world, observed, pollers, start, index === starts.length - 1),
  );
}

function sourceEvidence(
  { stores, plan }: World,
  observed: Observed,
  { source, concludedAt }: Pollers,
  start: Start | undefined,
  isLast: boolean,
): SourceEvidence {
  const { generation, baseline = plan.settings.baseline } = start ?? {};
  const isOwn = ({ event }: { readonly event: FeedEvent }) =>
    event.source === `/sources/${source}` && event.data.generation === generation;
  const written = stores.inserted.filter(isOwn);
  return {
    source,
    isLast,
    isOnly: (observed.starts.get(source) ?? []).length <= 1,
    mayBeSkipped: (plan.operations ?? []).some(({ what }) => SKIPPING.has(what)),
    baseline,
    customerData: plan.settings.customerData,
    interval: plan.settings.intervalMs * MILLISECOND,
    startedAt: start?.at,
    fieldKnownBy: (field) => observed.fields.knownBy(source, field),
    relaysMayLag: plan.faults.freeze > 0 || plan.faults.slow > 0 || plan.faults.entryFailed > 0,
    longestFreeze: longestFreezeOf(plan),
    forgotten: forgottenOf(stores, observed, source, generation),
    arraysStoredFrom: observed.arraysStored.get(source) ?? new Map(),
    concludedAt,
    heldTimes: observed.held.filter((held) => held.source === source),
    cameToRest: observed.settled.get(source) === true,
    baselineCompletedAt: written.find(({ event }) => event.type === 'feed.baseline_completed')?.at,
    written,
    queue: stores.queue.all.filter(isOwn),
    bus: stores.bus.all.filter(isOwn),
  };
}

function forgottenOf(
  { ledger }: World['stores'],
  { forgotten }: Observed,
  source: string,
  generation: string | undefined,
): SourceEvidence['forgotten'] {
  return forgotten
    .filter(({ key }) => key.source === source && key.generation === generation)
    .map(({ key, through, isErased }) => ({
      groupId: Number(key.group),
      through,
      isLeft:
        isErased &&
        Array.from({ length: through }, (_, index) => index + 1).some((number) => ledger.has(key, number)),
    }));
}

/** The state of a group from a moment on, whatever it looked like. */
interface Fact {
  readonly at: Instant;
  readonly shownFrom: Instant;
  readonly group: StoredGroup | undefined;
}

/** Every state of every group, as the service would show it if it hid nothing. */
function happeningsOf(world: World, looks: readonly Look[]): Happening[] {
  const makers = looks.map(({ from, knobs }) => ({ from, make: documentMaker(knobs) }));
  return [...factsByGroup(world)].flatMap(([groupId, facts]) =>
    makers.flatMap(({ from, make }, place) => {
      const until = makers[place + 1]?.from ?? Number.POSITIVE_INFINITY;
      const later = facts.filter(({ at }) => at >= from && at < until);
      return [...seenAnew(world, facts, from), ...later].map(({ at, shownFrom, group }) => ({
        groupId,
        at,
        shownFrom,
        document: group && make(group),
      }));
    }),
  );
}

function factsByGroup({ service }: World): Map<number, Fact[]> {
  const facts = new Map<number, Fact[]>();
  const always = Number.NEGATIVE_INFINITY;
  for (const { groupId, at, shownFrom, before, after } of service.control.history()) {
    const known = facts.get(groupId) ?? [];
    if (known.length === 0 && before !== undefined) {
      known.push({ at: always, shownFrom: always, group: before });
    }
    known.push({ at, shownFrom, group: after });
    facts.set(groupId, known);
  }
  for (const group of service.store.groups()) {
    if (!facts.has(group.id)) facts.set(group.id, [{ at: always, shownFrom: always, group }]);
  }
  return facts;
}

/** Longer than any answer takes. */
const ANSWERED_WITHIN_SECONDS = 30;

/** The facts readable when a new look begins: the present, and the past that late and stale reads show. */
function seenAnew({ plan }: World, facts: readonly Fact[], from: Instant): Fact[] {
  const { lateSeconds, staleSeconds = 0 } = plan.knobs;
  const oldest = from - ((lateSeconds?.most ?? 0) + staleSeconds + ANSWERED_WITHIN_SECONDS) * SECOND;
  const before = facts.filter(({ at }) => at < from);
  const first = before.findLastIndex(({ at }) => at <= oldest);
  const seen = before.slice(Math.max(0, first));
  if (seen.every(({ group }) => group === undefined)) return [];
  return seen.map(({ shownFrom, group }) => ({ at: from, shownFrom: Math.max(from, shownFrom), group }));
}

function documentMaker(knobs: Readonly<Knobs>): (group: StoredGroup) => GroupDocument {
  const stamps = createStampForm(knobs.stampForm, knobs.stampPrecision);
  // Flickering fields count as present; unreadable groups are not judged.
  const plain: Knobs = {
    ...knobs,
    arrays: 'full',
    nulls: 'present',
    childOrder: 'stable',
    unreadableEvery: 0,
  };
  const nothingByChance = createRandom(1);
  return (group) => deviate(showGroup(group, stamps), plain, nothingByChance) as GroupDocument;
}

/** Customers' texts, and tokens: none of them may appear in anything stored or sent. */
function secretsOf({ service, plan }: World): string[] {
  const secrets = [FIRST_TOKEN, SECOND_TOKEN, OTHER_TOKEN];
  if (plan.seed % SECRETS_EVERY !== 0) return secrets;
  for (const { customer, order, shipments, returns } of service.store.groups()) {
    secrets.push(customer.name, customer.email, ...order.tags);
    if (customer.phone !== null) secrets.push(customer.phone);
    for (const { origin_address: home } of shipments) if (home !== null) secrets.push(home.address1);
    for (const { reason, questions_answers: questions } of returns) {
      if (reason.note !== null) secrets.push(reason.note);
      for (const { answers, question_type: type } of questions) if (type === 'TEXT') secrets.push(...answers);
    }
  }
  return secrets.filter((text) => text.length > 3);
}

/** Field names that are persons' names, if the service uses such. */
function personalNamesOf({ service }: World): string[] {
  if (!service.control.knobs().personalFields) return [];
  const names = Array.from(service.store.groups(), ({ customer }) => [
    customer.name,
    customer.email,
    customer.phone,
  ]);
  return [...new Set(names.flat().filter((name) => name !== null))];
}

/** Searching everything for every text takes long, so only every fourth seed does it. */
const SECRETS_EVERY = 4;
