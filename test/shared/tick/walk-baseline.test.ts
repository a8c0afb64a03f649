import { describe, expect, it } from 'vitest';
import { createSourceWorld } from '../source-world.ts';

describe('a baseline', () => {
  it('tells when every group was read, once, and what it took', async () => {
    const world = createSourceWorld({ groups: 120, knobs: { limitMax: 20 } });
    const session = world.startProcess('a');

    await world.tick(session);
    await world.nextTick(session);

    const told = await world.feedEvents();
    expect(told.map(({ type }) => type)).toEqual(['feed.baseline_completed']);
    expect(told[0]?.data.object).toMatchObject({
      type: 'baseline',
      mode: 'silent',
      groups: expect.any(Number),
    });
    expect(world.store.all(await world.source())).toHaveLength(121);
  });

  it('that a deadline cuts goes on where it was, and reads no covered range again', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 10 },
      settings: { requestsPerMinute: 30 },
    });
    const session = world.startProcess('a');
    const covered: number[] = [];
    let ticks = 0;

    while (ticks < 40) {
      ticks += 1;
      const { state } = ticks === 1 ? await world.tick(session) : await world.nextTick(session);
      covered.push(state?.baseline.coveredThrough ?? 0);
      if (state?.baseline.status === 'completed') break;
    }

    const { baseline } = await world.state();
    expect(ticks).toBeGreaterThan(1);
    expect(baseline.status).toBe('completed');
    expect(covered).toEqual([...covered].sort((a, b) => a - b));
    expect(world.store.all(await world.source())).toHaveLength(201);
    const walked = world.requests().filter(({ query }) => !query.includes('min_updated_at'));
    expect(baseline).toMatchObject({ groups: 201, requests: walked.length });
    // Nine fresh rows to a page of ten: one is the seam's.
    expect(baseline.requests).toBeLessThan(3 * (200 / 9));
  });

  it('of a small budget is soon through the decades before the first group', async () => {
    const world = createSourceWorld({ knobs: { limitMax: 10 }, settings: { requestsPerMinute: 12 } });
    const session = world.startProcess('a');

    let ticks = 1;
    let { state } = await world.tick(session);
    for (; ticks < 40 && state?.baseline.status !== 'completed'; ticks += 1) {
      ({ state } = await world.nextTick(session));
    }

    expect(ticks).toBeLessThan(8);
    expect(state?.baseline.status).toBe('completed');
  });

  it('goes on in another process', async () => {
    const world = createSourceWorld({
      groups: 120,
      knobs: { limitMax: 10 },
      settings: { requestsPerMinute: 30 },
    });
    const first = await world.tick(world.startProcess('a'));

    let { state } = first;
    for (let tick = 0; tick < 30 && state?.baseline.status !== 'completed'; tick += 1) {
      ({ state } = await world.nextTick(world.startProcess(`process-${tick}`)));
    }

    expect(first.state?.baseline.status).toBe('running');
    expect(state?.baseline.status).toBe('completed');
    expect(world.store.all(await world.source())).toHaveLength(121);
  });

  it('counts only its own requests', async () => {
    const world = createSourceWorld({
      groups: 300,
      knobs: { limitMax: 20 },
      settings: { intervalMs: 1_000 },
      latencyMs: 200,
    });

    const report = await world.tick(world.startProcess('a'));

    expect(report.polls).toBeGreaterThan(2);
    expect(report.state?.baseline.status).toBe('completed');
    const walked = world.requests().filter(({ query }) => !query.includes('min_updated_at'));
    expect(report.state?.baseline.requests).toBe(walked.length);
  });

  it('that takes several ticks costs next to no more requests than in one', async () => {
    const inOne = await requestsOfBaseline(100_000);
    const inMany = await requestsOfBaseline(180);

    expect(inOne.ticks).toBe(1);
    expect(inMany.ticks).toBeGreaterThan(1);
    expect(inMany.requests / inOne.requests).toBeLessThan(1.1);
  });
});

async function requestsOfBaseline(requestsPerMinute: number): Promise<{ ticks: number; requests: number }> {
  const world = createSourceWorld({
    groups: 4_000,
    knobs: { limitMax: 25, rateLimit: 1_000_000 },
    settings: { requestsPerMinute },
  });
  const session = world.startProcess('a');
  let report = await world.tick(session);
  let ticks = 1;
  for (; report.state?.baseline.status === 'running' && ticks < 40; ticks += 1)
    report = await world.nextTick(session);
  return { ticks, requests: report.state?.baseline.requests ?? Number.NaN };
}
