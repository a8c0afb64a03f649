import { describe, expect, it } from 'vitest';
import { HOUR, MILLISECOND } from '../../../shared/instant.ts';
import { DEGRADED_AFTER } from '../../../shared/limits.ts';
import { createSourceWorld } from '../source-world.ts';

describe('a value that the document does not list', () => {
  it('is reported once, by the process that finds it first', async () => {
    const world = createSourceWorld();
    const [a, b] = [world.startProcess('a'), world.startProcess('b')];
    await world.tick(a);
    world.setShipment(world.someGroup(), 'LOST_AT_SEA');
    await world.nextTick(a);
    await world.nextTick(a);
    await world.nextTick(b);
    const afterFirst = (await world.feedEvents()).filter(({ type }) => type === 'feed.drift_detected');

    world.setShipment(world.someGroup(), 'FOUND_AGAIN');
    await world.nextTick(b);
    await world.nextTick(b);

    const all = (await world.feedEvents()).filter(({ type }) => type === 'feed.drift_detected');
    expect(afterFirst.map(({ data }) => data.object)).toEqual([
      { type: 'drift', findings: ['shipment.status=LOST_AT_SEA'] },
    ]);
    expect(all.map(({ data }) => data.object)).toEqual([
      { type: 'drift', findings: ['shipment.status=LOST_AT_SEA'] },
      { type: 'drift', findings: ['shipment.status=FOUND_AGAIN'] },
    ]);
  });
});

describe('a service that fails', () => {
  it('is noted with its first tick and the number of ticks, until one succeeds', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('faultKinds', ['500-html']);
    world.control.setKnob('faultRate', 1);

    const [first, , third] = [
      await world.nextTick(session),
      await world.nextTick(session),
      await world.nextTick(session),
    ];
    world.control.setKnob('faultRate', 0);
    const last = await world.nextTick(session);

    const since = first?.state?.health.failure?.since;
    expect(since).toBe((first?.state?.lastSlot ?? 0) * MILLISECOND);
    expect(third?.state?.health.failure).toMatchObject({ code: 'failing', since, ticks: 3 });
    expect(last?.state?.health.failure).toBeUndefined();
  });

  it('is reported as degraded after five minutes, and as recovered by the first poll that succeeds', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('faultKinds', ['500-html']);
    world.control.setKnob('faultRate', 1);
    const degraded: boolean[] = [];
    for (let minute = 1; minute <= 7; minute += 1) {
      const report = await world.nextTick(session);
      degraded.push(report.state?.health.degradedSince !== undefined);
      expect(report).toMatchObject({ outcome: 'done', polls: 0, failure: { code: 'failing' } });
    }

    world.control.setKnob('faultRate', 0);
    await world.nextTick(session);

    const reports = (await world.feedEvents()).map(({ type, data }) => [type, data.object]);
    expect(degraded.indexOf(true)).toBeGreaterThanOrEqual(4);
    expect(degraded.indexOf(true)).toBeLessThanOrEqual(5);
    expect(reports.slice(1)).toEqual([
      [
        'feed.source_degraded',
        expect.objectContaining({ name: 'acme', reasons: [expect.objectContaining({ code: 'failing' })] }),
      ],
      ['feed.source_recovered', expect.objectContaining({ name: 'acme', reasons: [] })],
    ]);
  });

  it('does not make ranges narrower', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    await world.tick(session);
    const { pollWidth, baseline } = await world.state();
    world.control.setKnob('faultKinds', ['500-html', 'hang']);
    world.control.setKnob('faultRate', 1);

    for (let minute = 1; minute <= 10; minute += 1) await world.nextTick(session);

    expect(await world.state()).toMatchObject({ pollWidth, baseline: { rangeWidth: baseline.rangeWidth } });
  });
});

it('measures five minutes by slots, not by the clocks of processes that get no answer', async () => {
  const world = createSourceWorld();
  await world.tick(world.startProcess('a'));
  const { lastSlot: lastGood } = await world.state();
  world.control.setKnob('faultKinds', ['hang']);
  world.control.setKnob('faultRate', 1);
  const slots = { patient: lastGood, degraded: Number.POSITIVE_INFINITY };
  for (let tick = 1; tick <= 7; tick += 1) {
    // No process has a Date of the service, and each clock has another error.
    const clock = { ...world.time.machine({ ahead: ((tick % 3) - 1) * HOUR }) };
    await world.nextTick(world.startProcess(`b${tick}`, { clock }));
    const { health, lastSlot } = await world.state();
    if (health.degradedSince === undefined) slots.patient = lastSlot;
    else slots.degraded = Math.min(slots.degraded, lastSlot);
  }

  expect((slots.patient - lastGood) * MILLISECOND).toBeLessThan(DEGRADED_AFTER);
  expect((slots.degraded - lastGood) * MILLISECOND).toBeGreaterThanOrEqual(DEGRADED_AFTER);
  expect(slots.degraded).toBeLessThan(Number.POSITIVE_INFINITY);
});

it('releases the lease, so that another process can take the next tick', async () => {
  const world = createSourceWorld();
  const [a, b] = [world.startProcess('a'), world.startProcess('b')];

  const reports = [await world.tick(a), await world.nextTick(b, 1_000), await world.nextTick(a, 1_000)];

  expect(reports.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
  expect((await world.state()).lease).toEqual({ owner: 'a', epoch: 3, expiresAt: 0 });
});
