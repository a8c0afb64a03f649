// Searches in virtual time, beside the ticks of a source.
import { expect, test } from 'vitest';
import { askForGroup } from '../../../shared/finding/ask-for-group.ts';
import { ASKING_MS, beginAsking, isAskingFailure, NotAskedError } from '../../../shared/finding/asking.ts';
import { findGroups, type TextFilter } from '../../../shared/finding/find-groups.ts';
import type { Hold } from '../../../shared/guarding/hold.ts';
import { MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSourceWorld, SOURCE, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';

async function aPolledSource(options: SourceWorldOptions = {}): Promise<SourceWorld> {
  const world = createSourceWorld(options);
  await world.tick(world.startProcess('poller'));
  return world;
}

async function asking(world: SourceWorld, process: SourceSession = world.startProcess('finder')) {
  process.deadline = world.time.elapsed() + ASKING_MS * MILLISECOND;
  process.leaseEnd = Number.POSITIVE_INFINITY;
  const state = await world.states.load(SOURCE);
  return beginAsking({ source: SOURCE, state, requests: process.requests, now: world.time.now() });
}

async function find(world: SourceWorld, filter: TextFilter) {
  const begun = await asking(world);
  return world.time.run(findGroups(begun, filter));
}

function nameOrders(world: SourceWorld, names: readonly string[]): number[] {
  return names.map((name, index) => {
    const group = Number(world.control.snapshot()[index]?.id);
    world.control.mutate(group, (draft) => {
      draft.order.name = name;
    });
    return group;
  });
}

test('a name that the service matches only in part counts as similar, not as exact', async () => {
  const world = await aPolledSource({ knobs: { strings: 'partial' } });
  const [exact, ...others] = nameOrders(world, ['#R104', '#R1040', 'X-#r104-2']);

  const found = await find(world, { orderName: '#R104' });

  expect(found).toMatchObject({ exact: [exact], isWhole: true });
  expect(found.similar.toSorted()).toEqual(others.toSorted());
});

test('another case or spelling counts as similar', async () => {
  const world = await aPolledSource({ knobs: { strings: 'ignore-case' } });
  const [group] = nameOrders(world, ['Exchange-7']);

  const found = await find(world, { orderName: 'EXCHANGE-7' });

  expect(found).toEqual({ exact: [], similar: [group], isWhole: true });
});

test('rows that do not have the text are left out: a service may ignore the filter', async () => {
  const world = await aPolledSource();
  world.network.intercept = ({ query }) => {
    query.delete('order_name');
    return undefined;
  };
  const [group] = nameOrders(world, ['#R7']);

  const found = await find(world, { orderName: '#R7' });

  expect(found).toMatchObject({ exact: [group], similar: [] });
});

test('a search ends after a bounded number of pages, and reports that there may be more', async () => {
  const world = await aPolledSource({ groups: 120, knobs: { limitMax: 10 } });
  nameOrders(
    world,
    Array.from({ length: 120 }, () => '#R7'),
  );
  const before = world.requests().length;

  const found = await find(world, { orderName: '#R7' });

  expect(found.isWhole).toBe(false);
  expect(found.exact.length).toBeGreaterThan(80);
  expect(world.requests().length - before).toBeLessThanOrEqual(12);
});

test('an unreadable row is found by its id', async () => {
  const world = await aPolledSource();
  const [group] = nameOrders(world, ['#R7']);
  world.control.setKnob('unreadableAs', 'bad-stamp');
  world.control.setKnob('unreadableEvery', 1);

  const found = await find(world, { orderName: '#R7' });
  const present = await world.time.run(askForGroup(await asking(world), Number(group)));

  expect(found).toEqual({ exact: [], similar: [group], isWhole: true });
  expect(present).toMatchObject({ kind: 'unreadable', reason: expect.stringContaining('created_at') });
});

test('a service that fails for too long is reported, without the text of the search', async () => {
  const world = await aPolledSource();
  world.control.failNext('503-json', 100);

  const failure = await find(world, { orderName: '#secret-7' }).catch((error: Error) => error);

  expect(isAskingFailure(failure)).toBe(true);
  expect(failure).toMatchObject({ message: expect.stringContaining('503') });
  expect(String(failure)).not.toContain('secret');
});

test('a 429 makes all holders of the token pause, and then the search continues', async () => {
  const world = await aPolledSource();
  const [group] = nameOrders(world, ['#R7']);
  world.control.failNext('429-retry-after');
  const before = world.time.now();

  const found = await find(world, { orderName: '#R7' });

  expect(found.exact).toEqual([group]);
  expect(world.time.now() - before).toBeGreaterThan(1_000 * MILLISECOND);
});

test('a service that keeps asking for pauses is reported before the time is over, with the true reason', async () => {
  const world = await aPolledSource();
  world.control.failNext('429-retry-after', 100);
  const before = world.time.now();

  const failure = await find(world, { orderName: '#R7' }).catch((error: Error) => error);

  expect(world.time.now() - before).toBeLessThan(ASKING_MS * MILLISECOND);
  expect(failure).toMatchObject({ message: expect.stringContaining('429') });
  expect(String(failure)).not.toContain('No answer came');
  expect(String(failure)).toContain('try again');
});

test('a used-up budget is reported', async () => {
  const world = await aPolledSource({ settings: { requestsPerMinute: 60 } });
  const finder = world.startProcess('finder');

  const searches = Array.from({ length: 80 }, async (_, count) =>
    findGroups(await asking(world, finder), { orderName: `#${count}` }),
  );
  const outcomes = await world.time.run(Promise.allSettled(searches));

  const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(reasons.length).toBeGreaterThan(20);
  expect(reasons.every((reason) => reason instanceof NotAskedError)).toBe(true);
  expect(reasons[0]).toMatchObject({ message: expect.stringContaining('budget') });
});

test('a search uses no answer before the first poll, while the source rests, or while it is held', async () => {
  const world = await aPolledSource();
  const state = await world.state();
  const requests = world.startProcess('finder').requests;
  const now = world.time.now();
  const begin = (changes: object) => () =>
    beginAsking({ source: SOURCE, state: { ...state, ...changes }, requests, now });
  const hold: Hold = {
    ...{ number: 1, kind: 'other_store', phase: 'holding', count: 1, samples: [] },
    ...{ since: now, phaseSince: now },
  };

  expect(() => beginAsking({ source: SOURCE, state: undefined, requests, now })).toThrow('was never polled');
  expect(begin({ health: { ...state.health, restUntil: now + MINUTE } })).toThrow('rests until');
  expect(begin({ holds: [hold] })).toThrow('is held');
  expect(begin({ health: { ...state.health, restUntil: now - MINUTE } })).not.toThrow();
  expect(begin({ holds: [{ ...hold, kind: 'removals' }] })).not.toThrow();
});

test('searches save nothing of the source’s state', async () => {
  const world = await aPolledSource();
  const before = await world.state();

  await find(world, { orderName: '#R7' });
  await world.time.run(askForGroup(await asking(world), world.newest));

  expect(await world.state()).toEqual(before);
  expect(world.counts.saves).toBeGreaterThan(0);
});
