// Review: a store without any fault, in which nothing changes. Each walk begins with the widest range; where that has more
// pages than a tick manages, tick after tick reads the newest pages again and proves nothing, until halving the range has
// made it narrow enough. guarantees.md, G1: "the proved part is kept, so every tick makes progress". After five minutes
// of that the feed reports the source as degraded (`stalled`), and as recovered a minute later, in each walk anew.
import { expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

it.each([
  { groups: 900, limitMax: 5, requestsPerMinute: 240 },
  { groups: 1_800, limitMax: 10, requestsPerMinute: 240 },
  { groups: 4_000, limitMax: 10, requestsPerMinute: 240 },
  { groups: 2_500, limitMax: 10, requestsPerMinute: 120 },
])('a quiet source without faults is never degraded: %j', async ({ groups, limitMax, requestsPerMinute }) => {
  const world = createSourceWorld({
    groups,
    knobs: { limitMax },
    settings: { reconcileMs: 1_800_000, requestsPerMinute },
  });
  const session = world.startProcess('a');
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
  const idle: number[] = [];
  for (let tick = 0, since = 0, last = ''; tick < 110; tick += 1) {
    await world.nextTick(session);
    const { all } = (await world.state()).reconciliation;
    const at = `${all.isUnderWay} ${all.startedAt} ${all.coveredThrough}`;
    since = all.isUnderWay && at === last ? since + 1 : 0;
    if (since > 0) idle.push(since);
    last = at;
  }
  const reports = (await world.feedEvents()).flatMap(({ type, data }) =>
    type.startsWith('feed.source_') ? [[type, JSON.stringify((data.object as { reasons?: unknown }).reasons)]] : [],
  );
  console.log({ groups, limitMax, requestsPerMinute, ticksWithoutProgressInARow: Math.max(0, ...idle), reports });
  expect(reports).toEqual([]);
}, 200_000);
