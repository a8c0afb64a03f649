// Converts the observations of a run into the checker's evidence: plain data, in the terms of the service and the events.
import { defaultKnobs, type Knobs } from '../../local/reference-service/knobs.ts';
import { isForgotten } from '../../shared/comparing/forget-group.ts';
import type { Snapshot } from '../../shared/comparing/snapshot.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MILLISECOND, SECOND } from '../../shared/instant.ts';
import { FEWEST_ROWS } from '../../shared/reading/room.ts';
import type { Evidence, SourceEvidence, StoredState } from './checker/evidence.ts';
import { type Rest, WALKS_EVERY_MS } from './come-to-rest.ts';
import { happeningsOf, stampsBehind } from './happenings.ts';
import type { Plan } from './plan.ts';
import { personalNamesOf, secretsOf } from './private-texts.ts';
import { claimOf } from './source-facts.ts';
import { fieldKnownBy, type SourceWatch, type Start } from './watch-sources.ts';
import { UNTRUE } from './world/mishaps.ts';
import type { Operations } from './world/operations.ts';
import type { Pollers } from './world/pollers.ts';
import { SLOWEST } from './world/process.ts';
import type { Look } from './world/turns.ts';
import type { World } from './world/world.ts';

interface Watched {
  readonly pollers: Pollers;
  readonly watch: SourceWatch;
  readonly rest: Rest;
}

/** The observations of a run, besides its world. */
export interface Observed {
  readonly watched: readonly Watched[];
  /** How the service showed its groups, over time. */
  readonly looks: readonly Look[];
  readonly operations: Operations;
  /** The states of all sources, as last saved. */
  readonly states: readonly unknown[];
}

/** The longest freeze of a process after an answer arrived (process.ts). */
const LONGEST_FREEZE = 181 * SECOND;
/** The drift of the worst clock, in seconds of a run's hours, and the rest of a second that a stamp does not name. */
const DRIFT = 3 * SECOND;

export function gatherEvidence(world: World, observed: Observed): Evidence {
  const { plan, service, network, time, logged } = world;
  const { settings } = plan;
  const { unreadableEvery, brokenEvery, failingEvery, hiddenEvery, pageBytes } = service.control.knobs();
  const startedAt = time.now() - time.elapsed();
  const happenings = happeningsOf(world, observed.looks);
  const ids = new Set(happenings.map(({ groupId }) => groupId));
  const isEach = (every: number) => new Set([...ids].filter((id) => every > 0 && id % every === 0));
  const looks = [plan, ...plan.turns].map(({ knobs }) => knobs);
  const hasTinyPages = looks.some(({ limitMax = FEWEST_ROWS }) => limitMax < FEWEST_ROWS);
  const ever = (name: 'unreadableEvery' | 'brokenEvery' | 'failingEvery') =>
    new Set(looks.flatMap((look) => [...isEach(look[name] ?? 0)]));
  return {
    isStrange: plan.profile === 'strange',
    stampsBehind: stampsBehind(plan.knobs),
    showsWhatIs: plan.profile === 'plausible' || showsWhatIs(plan),
    sources: observed.watched.flatMap((watched) => sourceEvidences(world, watched, observed.operations)),
    happenings,
    unreadable: new Set([...isEach(unreadableEvery), ...isEach(brokenEvery)]),
    failing: isEach(failingEvery),
    everFailing: ever('failingEvery'),
    failsOften: looks.some(({ faultRate = 0 }) => faultRate >= 0.5),
    // Answers that are cut by their bytes, or below ten rows, may hide any row.
    hidden: pageBytes > 0 || hasTinyPages ? ids : isEach(hiddenEvery),
    everUnreadable: new Set([...ever('unreadableEvery'), ...ever('brokenEvery')]),
    everBroken: ever('brokenEvery'),
    tooLarge: refusedOf(world),
    showsEmptyArrays: looks.every((look) => look.omissions === 'some' || showsAll(look)),
    showsNulls: looks.every(showsAll),
    mayDegrade: mayDegrade(plan),
    mayMissChanges: mayMissChanges(plan),
    mayGoBack: plan.lag !== undefined,
    clocksJump: plan.faults.clockJump > 0,
    timing: timingOf(world),
    sent: network.sent,
    askedPauses: network.askedPauses,
    keepsPauses: plan.faults.clockJump === 0 && plan.faults.freeze === 0,
    requestsPerMinute: settings.requestsPerMinute,
    lookback: settings.lookbackMs * MILLISECOND,
    pagesShortened: pagesShortened(plan).map((atMs) => startedAt + atMs * MILLISECOND),
    secrets: secretsOf(world),
    personalNames: looks.some(({ newFields }) => newFields) ? personalNamesOf(world) : [],
    stored: [
      ...observed.states,
      ...observed.watched.flatMap(({ pollers }) => storedOf(world, pollers.source)),
    ],
    logged,
    outages: [...plan.outages, ...(plan.secret === undefined ? [] : [plan.secret])].map((outage) => ({
      hasKeptToken: outage === plan.secret && plan.warm > 0,
      from: startedAt + outage.fromMs * MILLISECOND,
      to: startedAt + Math.min(outage.fromMs + outage.forMs, plan.activeMs) * MILLISECOND,
    })),
    endedAt: time.now(),
    strayWrites: observed.watched.flatMap(({ pollers }) => pollers.strayWrites()),
    ownErrors: [
      ...observed.watched.flatMap(({ pollers }) => pollers.ownErrors),
      ...observed.operations.ownErrors,
    ].map((error) => error.stack ?? error.message),
  };
}

/** Whether answers have all fields and arrays. */
function showsAll({ omissions = 'none', flickers = false }: Partial<Knobs>): boolean {
  return omissions === 'none' && !flickers;
}

/** Whether answers show only states of the store's history. */
function showsWhatIs({ mishap, knobs, turns }: Plan): boolean {
  const hidesGroups = [knobs, ...turns.map((turn) => turn.knobs)].some(
    ({ badToken, hiddenEvery = 0 }) => badToken === 'empty' || hiddenEvery > 0,
  );
  return !hidesGroups && (mishap === undefined || !UNTRUE.has(mishap.kind));
}

function refusedOf({ refusals }: World): Evidence['tooLarge'] {
  const refused = new Map<number, { from: number; to: number }>();
  for (const { groupId, at } of refusals)
    refused.set(groupId, { from: refused.get(groupId)?.from ?? at, to: at });
  return refused;
}

function timingOf({ plan, service }: World): Evidence['timing'] {
  const { staleShare, staleSeconds } = service.control.knobs();
  const staleFor = staleShare > 0 ? Math.ceil(staleSeconds * SECOND) : 0;
  const longestFreeze = plan.faults.freeze > 0 ? LONGEST_FREEZE : 0;
  const longestExchange = plan.settings.requestTimeoutMs * MILLISECOND + longestFreeze;
  const clocksOff = plan.clockSkewMs * MILLISECOND + DRIFT;
  const lag = (plan.lag?.behindMs ?? 0) * MILLISECOND;
  return {
    clocksOff,
    longestFreeze,
    longestExchange,
    slowestCall: plan.faults.slow > 0 ? SLOWEST : 0,
    slowestAnswer: longestExchange + Math.max(staleFor, lag) + clocksOff,
    settle: plan.settings.settleMs * MILLISECOND,
    staleFor,
    lag,
  };
}

/** Faults of calls and ticks. Each of them can prevent a round from completing. */
const DELAYS = [
  ...(['crash', 'fail', 'lost', 'slow', 'freeze', 'partial'] as const),
  ...(['tickLost', 'tickLate', 'tickDoubled'] as const),
] as const;

/** Whether anything in the plan may keep the source from being read, or makes a guard hold. */
function mayDegrade(plan: Plan): boolean {
  const { knobs, faults, outages, turns, bulks, operations, settings, groups } = plan;
  return (
    [plan.mishap, plan.night, plan.lag, plan.secret, plan.tooLarge, plan.rotationMs, plan.stops].some(
      (each) => each !== undefined,
    ) ||
    [outages, turns, bulks, operations].some((list) => list.length > 0) ||
    DELAYS.some((fault) => faults[fault] > 0) ||
    plan.warm < 1 ||
    plan.sources > 1 ||
    settings.requestsPerMinute < 240 ||
    settings.requestTimeoutMs < 10_000 ||
    groups > 30 ||
    plan.oldChanges !== undefined ||
    stampsBehind(knobs) > 0 ||
    knobs.touches !== undefined ||
    [knobs.faultRate, knobs.rateLimit, knobs.unreadableEvery, knobs.removals].some((it) => it !== undefined)
  );
}

function mayMissChanges({ knobs, turns, mishap, tooLarge }: Plan): boolean {
  return (
    [mishap, tooLarge, knobs.unreadableEvery].some((each) => each !== undefined) ||
    turns.some((turn) =>
      (['limitMax', 'failingEvery', 'unreadableEvery', 'brokenEvery'] as const).some(
        (name) => name in turn.knobs,
      ),
    )
  );
}

/** When pages become shorter, in milliseconds of the run: by a turn, or at its end. */
function pagesShortened({ turns, knobs }: Plan): number[] {
  const planned = knobs.limitMax ?? defaultKnobs().limitMax;
  return turns.flatMap(({ atMs, forMs, knobs: { limitMax = planned } }) => [
    ...(limitMax < planned ? [atMs] : []),
    ...(limitMax > planned && forMs !== undefined ? [atMs + forMs] : []),
  ]);
}

/** Operations that skip or forget events. */
const SKIPPING: ReadonlySet<string> = new Set(['forget', 'redrive and skip']);

/** Returns one evidence per generation. In earlier generations published events are judged, but not missing ones. */
function sourceEvidences(world: World, watched: Watched, operations: Operations): SourceEvidence[] {
  const { starts } = watched.watch;
  if (starts.length === 0) return [sourceEvidence(world, watched, operations, undefined, true)];
  return starts.map((start, index) =>
    sourceEvidence(world, watched, operations, start, index === starts.length - 1),
  );
}

function sourceEvidence(
  { stores, plan }: World,
  { pollers: { source, concluded }, watch, rest }: Watched,
  operations: Operations,
  start: Start | undefined,
  isLast: boolean,
): SourceEvidence {
  const { generation, baseline = plan.settings.baseline } = start ?? {};
  const isOwn = ({ event }: { readonly event: FeedEvent }) =>
    event.source === `/sources/${source}` && event.data.generation === generation;
  const written = stores.inserted.filter(isOwn);
  const hasReported = (code: string) =>
    written.some(
      ({ event }) =>
        event.type === 'feed.source_degraded' &&
        event.data.object.reasons.some((reason) => reason.code === code),
    );
  return {
    source,
    isLast,
    isOnly: watch.starts.length <= 1,
    mayBeSkipped: plan.operations.some(({ what }) => SKIPPING.has(what)),
    baseline,
    customerData: plan.settings.customerData,
    interval: plan.settings.intervalMs * MILLISECOND,
    walkRhythm: (plan.settings.reconcileMs ?? WALKS_EVERY_MS) * MILLISECOND,
    reportsRead: plan.settings.sourceRead,
    startedAt: start?.at,
    origin: start?.origin,
    fieldKnownBy: (field) => fieldKnownBy(watch, plan.settings.settleMs, field),
    storedFrom: (groupId) => watch.groupsStored.get(`${generation} ${groupId}`),
    relaysMayLag: plan.faults.freeze > 0 || plan.faults.slow > 0 || plan.faults.entryFailed > 0,
    forgotten: forgottenOf(stores, operations, source, generation),
    concluded,
    heldTimes: watch.held,
    massChanges: watch.massChanges,
    hasAdopted: watch.hasAdopted,
    pollsMiss: hasReported('polls_miss_changes'),
    leavesCrowds: hasReported('crowd_not_proved'),
    recentWalks: watch.rounds.recent,
    ...rest,
    reasons: watch.facts?.reasons ?? [],
    baselineCompletedAt: written.find(({ event }) => event.type === 'feed.baseline_completed')?.at,
    written,
    claims: written.flatMap(({ at, event }) => {
      const claim = claimOf(event);
      return claim === undefined ? [] : [{ at, event, ...claim }];
    }),
    stored: watch.saves
      .filter((save) => save.generation === generation)
      .map(({ groupId, at, snapshot }) => ({ groupId, at, ...storedState(snapshot) })),
    queue: stores.queue.all.filter(isOwn),
    bus: stores.bus.all.filter(isOwn),
  };
}

/** A stored group in the form of the service's document. */
function storedState(snapshot: Snapshot): Pick<StoredState, 'document' | 'isForgotten'> {
  if (snapshot.removedAt !== undefined) return { document: undefined, isForgotten: isForgotten(snapshot) };
  const { group, shipments, return_line_items: returns, exchange_line_items } = snapshot.projection;
  return { document: { ...group, returns, shipments, exchange_line_items }, isForgotten: false };
}

function forgottenOf(
  { ledger }: World['stores'],
  { forgotten }: Operations,
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

function storedOf({ stores }: World, source: string): unknown[] {
  const own = stores.inserted.filter(({ key }) => key.source === source);
  const generations = new Set(own.map(({ key }) => key.generation));
  return [...generations].flatMap((generation) => stores.snapshots.all({ source, generation }));
}
