// Measures the delays of healthy returns while a thousand others hang: the receiver never answers for those, and
// answers immediately for the others. Nothing else fails.
import { HOUR, MILLISECOND } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { PLAIN_PLAN, PLAIN_WEBHOOK, type Plan } from './plan.ts';
import { createGrowth } from './world/growth.ts';
import { createRelaySide } from './world/relay-side.ts';
import { createTopic } from './world/topic.ts';
import { createWebhookSide } from './world/webhook-side.ts';
import { createWorld } from './world/world.ts';

export interface Crowd {
  readonly hanging: number;
  /** The hours over which they begin to hang, evenly spread. */
  readonly beginsInHours: number;
  /** Events of healthy returns, evenly spread. */
  readonly eventsPerMinute: number;
  readonly hours: number;
}

export interface Delays {
  /** For each hour, the quantiles of the delays of its events, in seconds. */
  readonly hours: readonly { readonly p50: number; readonly p99: number; readonly longest: number }[];
  readonly invocations: number;
  readonly attempts: number;
}

/** Returns hang if their number is a multiple of this. */
const HANGS = 1_000;

export async function measureCrowd(crowd: Crowd): Promise<Delays> {
  const { hanging, beginsInHours, eventsPerMinute, hours } = crowd;
  const hang = {
    kind: 'hang',
    fromMs: 0,
    every: { of: 'return', n: HANGS },
    share: 1,
    acceptedAnyway: 0,
  } as const;
  const plan: Plan = { ...PLAIN_PLAN, webhooks: [{ ...PLAIN_WEBHOOK, outages: [hang] }] };
  const world = createWorld(plan, false);
  const topic = createTopic(world);
  const relays = createRelaySide(world, topic);
  const side = createWebhookSide(world, plan.webhooks[0] ?? PLAIN_WEBHOOK);
  topic.subscriptions.push(side.subscription);
  world.onInsert = relays.notice;
  const growth = createGrowth(world);
  const keyOf = (group: number): GroupKey => ({ source: 's1', generation: 'g1', group });

  async function writeEvery(pauseMs: number, times: number, groupOf: (at: number) => number): Promise<void> {
    for (let at = 0; at < times; at += 1) {
      growth.save(keyOf(groupOf(at)));
      await world.time.sleep(pauseMs);
    }
  }

  async function grow(): Promise<void> {
    await Promise.all([
      writeEvery((beginsInHours * 3_600_000) / hanging, hanging, (at) => (at + 1) * HANGS),
      writeEvery(60_000 / eventsPerMinute, hours * 60 * eventsPerMinute, (at) => (at % (HANGS - 1)) + 1),
    ]);
    await world.time.sleep(3_600_000);
  }
  await world.time.run(grow());

  const accepted = new Map(side.attempts.map(({ id, acceptedAt }) => [id, acceptedAt]));
  const delays: number[][] = Array.from({ length: hours }, () => []);
  for (const { key, event, at } of world.ledger.all) {
    if (Number(key.group) % HANGS === 0) continue;
    const hour = Math.min(hours - 1, Math.floor((at - world.start) / HOUR));
    const delay = (accepted.get(event.id) ?? Number.POSITIVE_INFINITY) - at;
    delays[hour]?.push(delay / MILLISECOND / 1_000);
  }
  return {
    hours: delays.map(percentiles),
    invocations: side.invocations.length,
    attempts: side.attempts.length,
  };
}

function percentiles(delays: readonly number[]) {
  const sorted = [...delays].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}
