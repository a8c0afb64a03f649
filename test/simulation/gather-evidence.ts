// Turns what a run left behind into what the checker judges: plain data, in the service's and the events' own words.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { deviate } from '../../local/reference-service/showing/deviate.ts';
import { showGroup } from '../../local/reference-service/showing/show-group.ts';
import { createStampForm } from '../../local/reference-service/showing/stamp-form.ts';
import { createRandom } from '../../local/reference-service/store/seeded-random.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import { type Instant, MILLISECOND, SECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source-state.ts';
import type { Evidence, GroupDocument, Happening, SourceEvidence, Timing } from './checker/evidence.ts';
import type { ArraysStored } from './watch-arrays.ts';
import type { Pollers } from './world/pollers.ts';
import { FIRST_TOKEN, OTHER_TOKEN, SECOND_TOKEN, type World } from './world/world.ts';

/** When each source's first state was saved, by its name. */
type Starts = ReadonlyMap<string, Instant>;

/** What a run shows besides its world. */
export interface Observed {
  readonly pollers: readonly Pollers[];
  readonly starts: Starts;
  readonly arraysStored: ArraysStored;
  /** Each source's name, and whether it came to rest in the end. */
  readonly settled: ReadonlyMap<string, boolean>;
  /** Of all sources, as last saved. */
  readonly states: readonly unknown[];
}

/** Watches when sources begin: from then on every change is to be told. */
export function watchStarts({ stores, time }: World): Starts {
  const at = new Map<string, Instant>();
  const { save } = stores.states;
  stores.states.save = async (state: SourceState, expectedVersion: number) => {
    const result = await save(state, expectedVersion);
    if (result === 'saved' && expectedVersion === 0) at.set(state.source, time.now());
    return result;
  };
  return at;
}

export function gatherEvidence(world: World, observed: Observed): Evidence {
  const { plan, service, network, time, logged } = world;
  const { settings, outage } = plan;
  const knobs = service.control.knobs();
  const startedAt = time.now() - time.elapsed();
  const unreadableEvery = knobs.unreadableEvery;
  const happenings = happeningsOf(world);
  const leavesNoArrayOut = (plan.knobs.arrays ?? 'full') === 'full';
  const ids = new Set(happenings.map(({ groupId }) => groupId));
  const sources = observed.pollers.map(({ source }) => source);
  return {
    sources: observed.pollers.map((pollers) => sourceEvidence(world, observed, pollers)),
    happenings,
    unreadable: new Set([...ids].filter((id) => unreadableEvery > 0 && id % unreadableEvery === 0)),
    promises: {
      findsRemovals: plan.reconciles,
      changesMoveStamps:
        plan.knobs.touches === undefined &&
        plan.mishap?.kind !== 'changed without stamps' &&
        (knobs.absurdEvery === 0 || knobs.absurdStamps === 'ahead'),
      showsEmptyArrays: knobs.arrays === 'full',
      leavesNoArrayOut,
      showsWhole: leavesNoArrayOut && knobs.removals === 0 && plan.mishap === undefined,
      showsArrays: plan.knobs.arrays !== 'flicker',
    },
    timing: timingOf(world),
    sent: network.sent,
    requestsPerMinute: settings.requestsPerMinute,
    secrets: secretsOf(world),
    stored: [...observed.states, ...sources.flatMap((source) => storedOf(world, source))],
    logged,
    outage: outage && {
      from: startedAt + outage.fromMs * MILLISECOND,
      to: startedAt + Math.min(outage.fromMs + outage.forMs, plan.activeMs) * MILLISECOND,
    },
    endedAt: time.now(),
    ownErrors: observed.pollers.flatMap(({ ownErrors }) =>
      ownErrors.map((error) => error.stack ?? error.message),
    ),
  };
}

/** A Date has whole seconds, and is written on the way. */
const DATE_IS_KNOWN_TO = 2 * SECOND;
/** Processes stand still for as long, with an answer at hand (process.ts). */
const LONGEST_FREEZE = 181 * SECOND;
/** How fast the fastest of clocks gain (world.ts). */
const LARGEST_DRIFT = 0.0002;

function timingOf({ plan, service, time }: World): Timing {
  const { date, dateSkewSeconds, staleShare, staleSeconds } = service.control.knobs();
  const hasDate = date === 'present';
  const staleFor = staleShare > 0 ? Math.ceil(staleSeconds * SECOND) : 0;
  const freeze = plan.faults.freeze > 0 ? LONGEST_FREEZE : 0;
  return {
    dateAhead: hasDate ? dateSkewSeconds * SECOND : 0,
    drift: hasDate ? 0 : Math.ceil(time.elapsed() * LARGEST_DRIFT),
    lateBy: DATE_IS_KNOWN_TO,
    slowestAnswer: plan.settings.requestTimeoutMs * MILLISECOND + freeze + staleFor + DATE_IS_KNOWN_TO,
    settle: plan.settings.settleMs * MILLISECOND,
    staleFor,
  };
}

function storedOf({ stores }: World, source: string): unknown[] {
  const own = stores.inserted.filter(({ key }) => key.source === source);
  const generations = new Set(own.map(({ key }) => key.generation));
  return [...generations].flatMap((generation) => stores.snapshots.all({ source, generation }));
}

function sourceEvidence(
  { stores, plan }: World,
  observed: Observed,
  { source, concludedAt }: Pollers,
): SourceEvidence {
  const isOwn = ({ event }: { readonly event: { readonly source: string } }) =>
    event.source === `/sources/${source}`;
  const written = stores.inserted.filter(isOwn);
  return {
    source,
    baseline: plan.settings.baseline,
    customerData: plan.settings.customerData,
    interval: plan.settings.intervalMs * MILLISECOND,
    startedAt: observed.starts.get(source),
    arraysStoredFrom: observed.arraysStored.get(source) ?? new Map(),
    concludedAt,
    cameToRest: observed.settled.get(source) === true,
    baselineCompletedAt: written.find(({ event }) => event.type === 'feed.baseline_completed')?.at,
    written,
    queue: stores.queue.all.filter(isOwn),
    bus: stores.bus.all.filter(isOwn),
  };
}

/** Every state of every group, as the service would show it to a reader that it hides nothing from. */
function happeningsOf({ service }: World): Happening[] {
  const knobs = service.control.knobs();
  const document = documentMaker(knobs);
  const changes = service.control.history();
  const changed = new Set<number>();
  const happenings: Happening[] = [];
  for (const { groupId, before } of changes) {
    if (!changed.has(groupId) && before !== undefined) {
      happenings.push(fromTheStart(document(before)));
    }
    changed.add(groupId);
  }
  for (const group of service.store.groups()) {
    if (!changed.has(group.id)) {
      happenings.push(fromTheStart(document(group)));
    }
  }
  for (const { groupId, at, shownFrom, after } of changes) {
    happenings.push({ groupId, at, shownFrom, document: after && document(after) });
  }
  return happenings;
}

function fromTheStart(document: GroupDocument): Happening {
  const always = Number.NEGATIVE_INFINITY;
  return { groupId: document.id, at: always, shownFrom: always, document };
}

function documentMaker(knobs: Readonly<Knobs>): (group: StoredGroup) => GroupDocument {
  const stamps = createStampForm(knobs.stampForm, knobs.stampPrecision);
  // What flickers is there; what is unreadable is judged by nobody.
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

/** Texts of customers, and tokens: what of them stands anywhere in what was stored or sent is too much. */
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

/** Looking for every text in everything takes its time: so many seeds share the work. */
const SECRETS_EVERY = 4;
