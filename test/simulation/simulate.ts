// One run: the world is active with all faults of its plan, then all changes and faults stop until the feed has settled, and
// the checker judges the evidence.
import { KNOBS } from '../../local/reference-service/knobs.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { check } from './checker/check.ts';
import type { Violation } from './checker/evidence.ts';
import { calm, comeToRest, type Rest } from './come-to-rest.ts';
import { gatherEvidence } from './gather-evidence.ts';
import type { Plan } from './plan.ts';
import { watchSources } from './watch-sources.ts';
import { runHands } from './world/hands.ts';
import { lagBehind } from './world/lagging-copy.ts';
import { runMishap } from './world/mishaps.ts';
import { BASE_URL } from './world/network.ts';
import { runOldChanges } from './world/old-changes.ts';
import { createOperations, type Operations } from './world/operations.ts';
import { createPollers, type Pollers, runSchedule } from './world/pollers.ts';
import { createRelaySide } from './world/relays.ts';
import { runNight, runTurns, watchLooks } from './world/turns.ts';
import { clockBehind, createWorld, type World } from './world/world.ts';

const MINUTE_MS = 60_000;

export interface Run {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  /** Covers the whole run: equal hashes are equal runs. */
  readonly hash: string;
  readonly occurrences: ReadonlyMap<string, number>;
  /** The faults that happened, to be removed one by one. */
  readonly struck: readonly string[];
  /** The trace, one line per entry; empty unless requested. */
  readonly lines: readonly string[];
  /** Number of events that were written. */
  readonly events: number;
  readonly requests: number;
  readonly virtualMs: number;
}

export async function simulate(plan: Plan, options: { readonly isRead?: boolean } = {}): Promise<Run> {
  const world = createWorld(plan, options.isRead === true);
  lagBehind(world);
  const sides = [createRelaySide(world, world.stores.queue), createRelaySide(world, world.stores.bus)];
  world.onInsert = (inserted) => {
    world.trace.note('ledger', inserted.event.type, () => `${inserted.event.id} ${inserted.event.subject}`);
    for (const side of sides) side.notice(inserted);
  };
  const watchOf = watchSources(world);
  const looks = watchLooks(world);
  const sources = Array.from({ length: plan.sources }, (_, index) =>
    createPollers(world, settingsOf(plan, index), () =>
      watchOf(`s${index + 1}`).rounds.late.push(world.time.now()),
    ),
  );
  const operations = createOperations(world, sources);

  const rests = await world.time.run(live(world, { sources, sides, operations, watchOf }));

  countOccurrences(world);
  addStoreLines(world);
  const states = await Promise.all(sources.map(({ source }) => world.stores.states.load(source)));
  const watched = sources.map((pollers, index) => {
    const watch = watchOf(pollers.source);
    const unknown = { polledBy: undefined, isAtRest: false, idle: undefined };
    return { pollers, watch, rest: rests[index] ?? unknown };
  });
  return {
    plan,
    violations: check(gatherEvidence(world, { watched, looks, operations, states })),
    hash: world.trace.hash,
    occurrences: world.trace.occurrences,
    struck: world.fates.struck,
    lines: world.trace.lines,
    events: world.stores.inserted.length,
    requests: world.network.sent.length,
    virtualMs: world.time.elapsed() / MILLISECOND,
  };
}

/** Sources with one token divide the budget. */
function settingsOf({ settings, sources }: Plan, index: number) {
  const requestsPerMinute = Math.floor(settings.requestsPerMinute / sources);
  return sourceSettings.parse({ ...settings, requestsPerMinute, name: `s${index + 1}`, baseUrl: BASE_URL });
}

interface Parts {
  readonly sources: readonly Pollers[];
  readonly sides: readonly ReturnType<typeof createRelaySide>[];
  readonly operations: Operations;
  readonly watchOf: ReturnType<typeof watchSources>;
}

async function live(world: World, { sources, sides, operations, watchOf }: Parts): Promise<Rest[]> {
  const { plan } = world;
  const until = plan.activeMs * MILLISECOND;
  const watches = sources.map(({ source }) => watchOf(source));
  await Promise.all([
    runHands(world, until),
    runTurns(world),
    runMishap(world, sources, watches, until),
    sweepOnce(world, sides),
    operations.run(),
    runNight(world),
    runOldChanges(world),
    ...sources.map((pollers) => runSchedule(world, pollers, plan.settings.intervalMs, until)),
  ]);
  calm(world);
  const rests = await Promise.all(
    sources.map((pollers) => comeToRest(world, pollers, watchOf(pollers.source))),
  );
  for (const side of sides) await side.sweep();
  return rests;
}

async function sweepOnce({ plan, time }: World, sides: Parts['sides']): Promise<void> {
  if (plan.sweepMs === undefined) return;
  await time.sleep(plan.sweepMs);
  // Each sweep runs in its own function; a sweep that does not return is not awaited.
  for (const side of sides) void side.sweep();
}

/** Counts the run's settings and faults, and the service's answers. */
function countOccurrences({ plan, service, trace, fates, stores }: World): void {
  for (const name of occurrencesIn(plan)) trace.count(name);
  for (const [name, times] of fates.happened) trace.count(`happened ${name}`, times);
  for (const { event } of stores.inserted) trace.count(`published ${event.type}`);
  for (const { fault, status } of service.service.requests())
    trace.count(fault === undefined ? `answer ${status}` : `fault ${fault}`);
}

/** Returns the names of what a plan has: its knobs, rates, outages and other kinds. */
export function* occurrencesIn(plan: Plan): Generator<string> {
  for (const [name, value] of Object.entries(plan.knobs)) {
    yield `knob ${name}`;
    const isWord = name in KNOBS && typeof value === 'string';
    if (isWord) yield `knob ${name}=${value}`;
  }
  for (const [name, rate] of Object.entries(plan.faults)) if (rate > 0) yield `rate ${name}`;
  for (const { kind } of plan.outages) yield `outage ${kind}`;
  for (const { knobs } of plan.turns) for (const name of Object.keys(knobs)) yield `turn ${name}`;
  for (const { what } of plan.bulks) yield `bulk of ${what}`;
  for (const { what } of plan.operations) yield `command ${what}`;
  if (plan.mishap !== undefined) yield `plan of ${plan.mishap.kind}`;
  if (plan.secret !== undefined) yield `secret is ${plan.secret.kind}`;
  for (const name of [
    'tooLarge',
    'rotationMs',
    'sweepMs',
    'stops',
    'rareValues',
    'earlySlot',
    'night',
    'oldChanges',
    'cache',
    'lag',
    'isQuick',
  ] as const)
    if (plan[name] !== undefined) yield `plan with ${name}`;
  const { reconcileMs, requestsPerMinute } = plan.settings;
  yield `walks every ${reconcileMs === undefined ? 'now and then' : `${reconcileMs / MINUTE_MS} minutes`}`;
  yield `budget of ${requestsPerMinute / plan.sources}`;
  const { rateLimit, retryAfter, faultRate = 0, faultKinds = [] } = plan.knobs;
  if (rateLimit !== undefined && rateLimit > 0 && retryAfter === 'none') yield 'limit without Retry-After';
  if (faultRate >= 0.2 && faultKinds.includes('429')) yield 'fifth of answers that fail, some with 429';
  if (plan.sources > 1) yield 'two sources';
  if (plan.clockSkewMs > 0) yield 'clocks off';
  if (plan.groups <= 1) yield 'tiny store';
}

/** Adds the store's own descriptions of its changes to the lines of the trace. */
function addStoreLines({ service, trace }: World): void {
  if (trace.lines.length === 0) return;
  const behind = clockBehind(service);
  for (const { at, shownFrom, groupId, step } of service.control.history()) {
    const shown = shownFrom > at ? ` (shown from ${formatInstant(shownFrom + behind)})` : '';
    trace.tellAt(at + behind, 'store', `${groupId} ${step}${shown}`);
  }
}
