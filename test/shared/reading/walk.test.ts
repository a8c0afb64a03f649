import { describe, expect, it } from 'vitest';
import { DAY } from '../../../shared/instant.ts';
import { createModelList } from './model-list.ts';
import { STABLE_ORDERS } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import { storeOf, walk } from './model-walk.ts';
import { idsFrom } from './some-rows.ts';
import { createWitness } from './witness.ts';
import { NOON } from './worlds.ts';

describe('a walk over all groups', () => {
  it.each(STABLE_ORDERS)('shows all groups sorted by %s, in several ranges', async (order) => {
    const list = storeOf(600, 10, order);
    const witness = createWitness(list, { maxPages: 24 });

    const steps = await walk(list, witness);

    expect(witness.seen.size).toBe(600);
    expect(steps.length).toBeGreaterThan(2);
    expect(list.requests).toBeLessThanOrEqual(2 * (600 / 10));
  });

  it('needs few requests for a small store', async () => {
    const list = storeOf(300, 200, 'updated desc');
    const witness = createWitness(list);

    await walk(list, witness);

    expect(witness.seen.size).toBe(300);
    expect(list.requests).toBeLessThanOrEqual(10);
  });

  it('shows all groups if the order changes with each request', async () => {
    const list = storeOf(400, 50, 'random');
    const witness = createWitness(list, { maxPages: 160 });

    const steps = await walk(list, witness);

    expect(witness.seen.size).toBe(400);
    expect(steps.some(({ unstable }) => unstable !== undefined)).toBe(true);
  });

  it('covers all time, and each range begins at the end of the one before', async () => {
    const steps = await walk(storeOf(1_500, 10, 'id asc'));

    const covered = steps.flatMap((step) => (step.covered === undefined ? [] : [step.covered]));
    expect(covered.length).toBeGreaterThan(3);
    expect(covered.map(({ from }) => from)).toEqual([undefined, ...covered.slice(0, -1).map(({ to }) => to)]);
    expect(covered.at(-1)?.to).toBeUndefined();
  });

  it('shows groups with absurd stamps, and groups that are created meanwhile', async () => {
    const list = storeOf(500, 20, 'id asc');
    const absurd = [list.add({ createdAt: 5 }), list.add({ createdAt: NOON + 9_000 * DAY })];
    const witness = createWitness(list);
    let late: ReturnType<typeof list.add> | undefined;
    list.meanwhile = () => {
      if (list.requests === 10) late = list.add({ createdAt: list.now });
    };

    await walk(list, witness);

    expect(absurd.every((row) => witness.seen.has(row))).toBe(true);
    expect(late !== undefined && witness.seen.has(late)).toBe(true);
  });
});

it('a short page does not end a walk', async () => {
  const list = createModelList({ seed: 2, now: NOON, order: 'id asc', pages: clampedTo(4) });
  for (const id of idsFrom(1, 30)) list.add({ createdAt: NOON - id * DAY, bytes: 9 });
  const witness = createWitness(list, { trustsShortPages: true });

  await walk(list, witness);

  expect(witness.seen.size).toBe(30);
});
