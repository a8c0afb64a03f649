// One run: the world is active with all faults of its plan, then all changes and faults stop until the feed has settled, and
// the checker judges the evidence.
import { KNOBS, type KnobName } from '../../local/reference-service/knobs.ts';
import { formatInstant, MILLISECOND } from '../../shared/instant.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { check } from './checker/check.ts';
import type { Violation } from './checker/evidence.ts';
import { calm, pollUntilSettled, settledAfter } from './come-to-rest.ts';
import { gatherEvidence } from './gather-evidence.ts';
import { nameOfShape } from './lasting-fault.ts';
import type { Plan } from './plan.ts';
import { watchArrays } from './watch-arrays.ts';
import { watchFields } from './watch-fields.ts';
import { watchOpenWalks } from './watch-open-walks.ts';
import { watchStarts } from './watch-starts.ts';
import { runHands } from './world/hands.ts';
import { BASE_URL } from './world/network.ts';
import { createOperations, type Operations } from './world/operations.ts';
import { watchHolds } from './world/operator.ts';
import { createPollers, type Pollers, runSchedule } from './world/pollers.ts';
import { createRelaySide } from './world/relays.ts';
import { runMishap } from './world/run-mishap.ts';
import { runTurns, watchLooks } from './world/turns.ts';
import { createWorld, type World } from './world/world.ts';

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

function sourceName(index: number): string {
  return `s${index + 1}`;
}

export async function simulate(plan: Plan, options: { readonly isRead?: boolean } = {}): Promise<Run> {
  const world = createWorld(plan, options.isRead === true);
  const sides = [createRelaySide(world, world.stores.queue), createRelaySide(world, world.stores.bus)];
  world.onInsert = (inserted) => {
    world.trace.note('ledger', inserted.event.type, () => `${inserted.event.id} ${inserted.event.subject}`);
    for (const side of sides) side.notice(inserted);
  };
  const starts = watchStarts(world);
  const arraysStored = watchArrays(world);
  const fields = watchFields(world);
  const looks = watchLooks(world);
  const openWalks = watchOpenWalks(world);
  const held = watchHolds(world);
  const sources = Array.from({ length: plan.sources }, (_, index) => {
    const settings = sourceSettings.parse({ name: sourceName(index), baseUrl: BASE_URL, ...plan.settings });
    return createPollers(world, settings, index);
  });

  const operations = createOperations(world, sources);

  const settled = await world.time.run(live(world, sources, sides, operations));

  countOccurrences(world);
  addStoreLines(world);
  const states = await Promise.all(sources.map(({ source }) => world.stores.states.load(source)));
  const evidence = gatherEvidence(world, {
    ...{ pollers: sources, starts, arraysStored, fields, looks, held, openWalks, settled, states },
    ...{ forgotten: operations.forgotten, operatorErrors: operations.ownErrors },
  });
  return {
    plan,
    violations: check(evidence),
    hash: world.trace.hash,
    occurrences: world.trace.occurrences,
    struck: world.fates.struck,
    lines: world.trace.lines,
    events: world.stores.inserted.length,
    requests: world.network.sent.length,
    virtualMs: world.time.elapsed() / MILLISECOND,
  };
}

type Side = ReturnType<typeof createRelaySide>;

/** @returns for each source's name whether it came to rest */
async function live(
  world: World,
  sources: readonly Pollers[],
  sides: readonly Side[],
  operations: Operations,
): Promise<ReadonlyMap<string, boolean>> {
  const { plan, time } = world;
  const until = plan.activeMs * MILLISECOND;
  const hands = runHands(world, until);
  const turns = runTurns(world);
  const mishap = runMishap(world, sources, until);
  const sweeping = sweepOnce(world, sides);
  const operating = operations.run();
  await Promise.all(sources.map((pollers) => runSchedule(world, pollers, plan.settings.intervalMs, until)));
  await hands;
  await mishap;
  await turns;
  await sweeping;
  await operating;
  calm(world);
  const settled = time.elapsed() + settledAfter(plan) * MILLISECOND;
  const areSettled = await Promise.all(sources.map((pollers) => pollUntilSettled(world, pollers, settled)));
  for (const side of sides) await side.sweep();
  return new Map(sources.map(({ source }, index) => [source, areSettled[index] === true]));
}

async function sweepOnce({ plan, time }: World, sides: readonly Side[]): Promise<void> {
  if (plan.sweepMs === undefined) return;
  await time.sleep(plan.sweepMs);
  // Each sweep runs in its own function; a sweep that does not return is not awaited.
  for (const side of sides) void side.sweep();
}

/** Counts the run's settings and faults, and the service's answers. */
function countOccurrences({ plan, service, trace, fates, stores }: World): void {
  for (const [name, value] of Object.entries(plan.knobs)) {
    trace.count(`knob ${name}`);
    const isWord = typeof value === 'string' && KNOBS[name as KnobName].read(value) === value;
    if (isWord && name !== 'limitChanges') trace.count(`knob ${name}=${value}`);
  }
  for (const name of ['nulls', 'arrays'] as const) {
    const isOtherwise = (plan.knobs[name] ?? KNOBS[name].byDefault) !== KNOBS[name].byDefault;
    if (isOtherwise && plan.knobs.touches !== undefined) trace.count(`knob ${name} without stamps`);
  }
  for (const [name, value] of Object.entries(plan.settings)) trace.count(`setting ${name}=${value}`);
  for (const [name, rate] of Object.entries(plan.faults)) if (rate > 0) trace.count(`rate ${name}`);
  if (plan.lasting !== undefined) {
    const { shape, forMs } = plan.lasting;
    trace.count(
      `lasting ${shape.kind === 'array' ? 'array' : nameOfShape(shape)} ${forMs === undefined ? 'for ever' : 'for a while'}`,
    );
  }
  if (plan.outage !== undefined) trace.count(`outage ${plan.outage.kind}`);
  if (plan.rotationMs !== undefined) trace.count('token rotated');
  if (plan.sources > 1) trace.count('two sources');
  if (plan.clockSkewMs > 0) trace.count('clocks off');
  if (!plan.endsOverdue) trace.count('overdue process left alive');
  for (const [name, times] of fates.happened) trace.count(`happened ${name}`, times);
  const removed = new Set<string>();
  for (const { event } of stores.inserted) {
    trace.count(`published ${event.type}`);
    if (event.type === 'return_group.removed') removed.add(event.subject);
    if (event.type === 'return_group.created' && removed.has(event.subject))
      trace.count('published after its removal');
  }
  for (const { fault, status } of service.service.requests()) {
    trace.count(fault === undefined ? `answer ${status}` : `fault ${fault}`);
  }
}

/** Adds the store's own descriptions of its changes to the lines of the trace. */
function addStoreLines({ service, trace }: World): void {
  if (trace.lines.length === 0) return;
  for (const { at, shownFrom, groupId, step } of service.control.history()) {
    const shown = shownFrom > at ? ` (shown from ${formatInstant(shownFrom)})` : '';
    trace.tellAt(at, 'store', `${groupId} ${step}${shown}`);
  }
}
