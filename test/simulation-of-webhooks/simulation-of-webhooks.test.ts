import { describe, expect, it } from 'vitest';
import { measureCrowd } from './crowd.ts';
import { drawPlan } from './draw-plan.ts';
import { PLAIN_PLAN, PLAIN_WEBHOOK } from './plan.ts';
import { simulate } from './simulate.ts';

const DAY_MS = 86_400_000;

describe('a simulated run of webhooks', () => {
  it('repeats exactly', async () => {
    const first = await simulate(drawPlan(5));
    const again = await simulate(JSON.parse(JSON.stringify(drawPlan(5))));

    expect(again.hash).toBe(first.hash);
    expect(again.occurrences).toEqual(first.occurrences);
  });

  it('differs for another seed', async () => {
    const first = await simulate(drawPlan(5));
    const second = await simulate(drawPlan(6));

    expect(second.hash).not.toBe(first.hash);
  });

  it('delivers everything after five weeks without the endpoint, or reports what the ledger lost', async () => {
    const down = {
      kind: 'refused connection',
      fromMs: DAY_MS,
      toMs: 36 * DAY_MS,
      share: 1,
      acceptedAnyway: 0,
    } as const;

    const { violations, occurrences, evidence } = await simulate({
      ...PLAIN_PLAN,
      ...{ groups: 2, activeMs: 37 * DAY_MS, saves: 20, latency: 0.15 },
      webhooks: [
        { ...PLAIN_WEBHOOK, outages: [down] },
        { ...PLAIN_WEBHOOK, name: 'Erp' },
      ],
    });

    expect(violations).toEqual([]);
    expect(occurrences.get('swept skipped')).toBeGreaterThan(0);
    expect(evidence.written.some(({ event }) => event.type === 'feed.events_skipped')).toBe(true);
  });

  it('delivers whole returns after seven weeks without the endpoint, although events and rings have expired', async () => {
    const down = {
      kind: 'refused connection',
      fromMs: 0.01 * DAY_MS,
      toMs: 50 * DAY_MS,
      share: 1,
      acceptedAnyway: 0,
    } as const;

    const { violations, evidence } = await simulate({
      ...PLAIN_PLAN,
      // The first three get events at the end.
      ...{ groups: 12, activeMs: 51 * DAY_MS, saves: 60, latency: 0.15 },
      webhooks: [{ ...PLAIN_WEBHOOK, shape: 'return', outages: [down] }],
    });

    const expired = evidence.written.filter(({ goneFrom }) => goneFrom < evidence.calmFrom);
    const arrived = new Set(
      evidence.webhooks[0]?.attempts.filter(({ acceptedAt }) => acceptedAt !== undefined).map(({ id }) => id),
    );
    const late = expired.filter(({ event }) => arrived.has(event.id.replace(/_(\d+)$/, '_r$1')));
    expect(violations).toEqual([]);
    expect(late.length).toBeGreaterThan(0);
    expect(evidence.written.some(({ event }) => event.type === 'feed.events_skipped')).toBe(false);
  });

  // For hundreds more: npm run simulate:webhooks -- --seeds 500.
  it('breaks no guarantee: 4 seeds', async () => {
    const broken: unknown[] = [];
    for (let seed = 1; seed <= 4; seed += 1) {
      const { violations } = await simulate(drawPlan(seed));
      if (violations.length > 0) broken.push({ seed, violations });
    }

    expect(broken).toEqual([]);
  });

  it('delivers to healthy returns within three seconds while a thousand others hang', async () => {
    const crowd = { hanging: 1_000, beginsInHours: 3, eventsPerMinute: 6, hours: 5 };

    const { hours } = await measureCrowd(crowd);

    for (const { p99 } of hours) expect(p99).toBeLessThan(3);
  });
});
