// One run: the ledger grows while receivers have outages, calls fail and an operator interferes. Then nothing fails
// until everything is delivered, and the checker checks the evidence.
import { HOUR, MILLISECOND } from '../../shared/instant.ts';
import { check } from './checker/check.ts';
import type { Evidence, Violation, WebhookEvidence } from './checker/evidence.ts';
import { NO_FAULTS, type Plan } from './plan.ts';
import { createGrowth, type Growth } from './world/growth.ts';
import { createOperator, type Operator } from './world/operator.ts';
import { createRelaySide, type RelaySide } from './world/relay-side.ts';
import { createTopic } from './world/topic.ts';
import { createWebhookSide, type WebhookSide } from './world/webhook-side.ts';
import { createWorld, type World } from './world/world.ts';

export interface Run {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  /** A hash over the whole run: equal runs have equal hashes. */
  readonly hash: string;
  readonly occurrences: ReadonlyMap<string, number>;
  /** The faults that happened, to be removed one by one. */
  readonly struck: readonly string[];
  /** A line for each thing that happened; empty unless requested. */
  readonly lines: readonly string[];
  readonly evidence: Evidence;
  readonly virtualMs: number;
}

const DAY_MS = 86_400_000;
/** The time in which everything must arrive: a pause of 11 hours, a day of retries of rejected content, and sweeps. */
const QUIET_MS = 3.4 * DAY_MS;
/** The interval of each group's events in the quiet time, because an event is only skipped if another was accepted. */
const HEARTBEAT_MS = 8 * 3_600_000;

export async function simulate(plan: Plan, options: { readonly isRead?: boolean } = {}): Promise<Run> {
  const world = createWorld(plan, options.isRead === true);
  const { time, trace, fates } = world;
  const topic = createTopic(world);
  const relays = createRelaySide(world, topic);
  const sides = plan.webhooks.map((webhook) => createWebhookSide(world, webhook));
  topic.subscriptions.push(...sides.map(({ subscription }) => subscription));
  world.onInsert = (entry) => {
    trace.note('ledger', entry.event.id, () => entry.event.type);
    relays.notice(entry);
  };
  const growth = createGrowth(world);
  const operator = createOperator(world, sides, growth);
  await time.run(live(world, growth, operator, relays, sides), 400 * 24 * HOUR);
  const evidence = await gatherEvidence(world, sides, operator);
  return {
    plan,
    violations: check(evidence),
    hash: trace.hash,
    occurrences: trace.occurrences,
    struck: fates.struck,
    lines: trace.lines,
    evidence,
    virtualMs: time.elapsed() / MILLISECOND,
  };
}

async function live(
  world: World,
  growth: Growth,
  operator: Operator,
  relays: RelaySide,
  sides: readonly WebhookSide[],
): Promise<void> {
  const { plan, time, fates } = world;
  const endMs = plan.activeMs + QUIET_MS;
  const leftMs = (atMs: number) => (world.start - time.now()) / MILLISECOND + atMs;
  const sweeping = [relays, ...sides].map((side, index) => sweepDaily(side, index));

  /** Sweeps at the same time every day; in a short run at least once before its end. */
  async function sweepDaily(side: { sweep(): Promise<void> }, index: number): Promise<void> {
    const random = world.randomFor(`sweep ${index}`);
    for (let atMs = random.below(Math.min(plan.activeMs, DAY_MS)); atMs < endMs; atMs += DAY_MS) {
      await time.sleep(leftMs(atMs));
      await Promise.race([side.sweep(), time.sleep(900_000)]);
    }
  }

  await Promise.all([growth.run(), operator.run()]);
  await time.sleep(leftMs(plan.activeMs));
  fates.calm();
  await operator.calm();
  for (let atMs = plan.activeMs; atMs < endMs - HEARTBEAT_MS; atMs += HEARTBEAT_MS) {
    for (let source = 0; source < plan.sources; source += 1)
      for (let group = 0; group < Math.min(3, plan.groups); group += 1)
        growth.save(growth.keyOf(source, group));
    await time.sleep(leftMs(atMs + HEARTBEAT_MS));
  }
  await Promise.all(sweeping);
  await time.sleep(Math.max(0, leftMs(endMs)));
}

async function gatherEvidence(
  world: World,
  sides: readonly WebhookSide[],
  operator: Operator,
): Promise<Evidence> {
  const { plan, ledger, endpoints } = world;
  const webhooks = sides.map(async (side, index): Promise<WebhookEvidence> => {
    const { name, shape, filter, retriesAtOnce, outages } = side.plan;
    const state = await endpoints.load(name);
    for (const invocation of side.invocations)
      world.trace.count(`invocation ${invocation.ending ?? 'went on'}`);
    return {
      ...{
        name,
        shape,
        filter,
        retriesAtOnce,
        startedAt: state?.startedAt,
        activeAt: side.subscription.activeAt,
      },
      ...{ attempts: side.attempts, invocations: side.invocations, published: side.published },
      ...{ paused: operator.paused(name), skippedByHand: operator.skippedByHand(name) },
      ...{ irregular: side.irregular, rungByHand: side.rungByHand, hiddenTooLong: side.hiddenTooLong },
      isDisturbed: outages.length > 0 || plan.operations.some(({ webhook }) => webhook === index),
    };
  });
  return {
    written: ledger.all,
    webhooks: await Promise.all(webhooks),
    forgotten: operator.forgotten,
    skew: 2 * plan.clockSkewMs * MILLISECOND,
    clockAhead: plan.clockAhead && {
      from: world.start + plan.clockAhead.fromMs * MILLISECOND,
      to: world.start + plan.clockAhead.toMs * MILLISECOND,
    },
    isFaultless: Object.keys(NO_FAULTS).every((name) => plan.faults[name as keyof typeof NO_FAULTS] === 0),
    calmFrom: world.start + plan.activeMs * MILLISECOND,
    endedAt: world.time.now(),
    ownErrors: [],
  };
}
