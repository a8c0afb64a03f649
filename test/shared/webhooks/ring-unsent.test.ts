import { describe, expect, it } from 'vitest';
import { MINUTE } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { createRingUnsent } from '../../../shared/webhooks/ring-unsent.ts';
import { aKey } from '../publishing/an-event.ts';
import { createWebhookWorld, WEBHOOK, type WebhookWorldOptions } from './webhook-world.ts';

const KEY = aKey(1);
const OTHER = aKey(2);
const FEED = aKey('feed');
/** The events were observed at 10:15:03. */
const AFTER_THE_EVENTS = Date.UTC(2026, 10, 20, 11) * 1_000;

function createSweep(options: WebhookWorldOptions = {}) {
  const world = createWebhookWorld(options);
  const rung: string[] = [];
  const ring = async ({ group }: GroupKey, sequence: number) => {
    if (group === 99) throw new Error('unavailable');
    rung.push(`${group} ${sequence}`);
  };
  const ports = { ...world.ports, destination: { name: WEBHOOK } };
  const relay = createRingUnsent({ ...world.ports, ring });
  return { world, rung, sweep: () => world.clock.run(sweepLedger(ports, relay, 15 * 60_000)) };
}

describe('the sweep of a webhook', () => {
  it('rings for the next event of each group that has one, and posts nothing', async () => {
    const { world, rung, sweep } = createSweep();
    world.show(KEY, 1, 2, 3);
    world.show(OTHER, 1);
    await world.marks.advance(WEBHOOK, KEY, 1);
    await world.marks.advance(WEBHOOK, OTHER, 1);

    const report = await sweep();

    expect(rung).toEqual(['1 2']);
    expect(report).toMatchObject({ unsent: 1, done: 1, failed: 0, complete: true });
    expect(world.posted).toEqual([]);
    expect(await world.marks.load(WEBHOOK, KEY)).toBe(1);
  });

  it('rings for as many groups as there are', async () => {
    const { world, rung, sweep } = createSweep();
    const keys = Array.from({ length: 25 }, (_, n) => aKey(100 + n));
    for (const key of keys) world.show(key, 1, 2);
    for (const key of keys) await world.marks.advance(WEBHOOK, key, 1);

    expect(await sweep()).toMatchObject({ done: 25 });

    expect(rung).toHaveLength(25);
  });

  it('moves the mark past events that the filter excludes, and does not ring for them', async () => {
    const { world, rung, sweep } = createSweep({ filter: { types: ['shipment.created'] } });
    world.show(KEY, 1, 2, 3);
    await world.marks.advance(WEBHOOK, KEY, 1);

    await sweep();

    expect(rung).toEqual([]);
    expect(await world.marks.load(WEBHOOK, KEY)).toBe(3);
  });

  it("ignores the feed's own events", async () => {
    const { world, rung, sweep } = createSweep({ start: AFTER_THE_EVENTS });
    world.show(FEED, 1, 2);

    await sweep();

    expect(rung).toEqual([]);
  });

  it('rings for the first event since the start of the webhook, and leaves it to the sender to begin', async () => {
    const { world, rung, sweep } = createSweep();
    world.show(KEY, 1, 2);

    await sweep();

    expect(rung).toEqual(['1 1']);
    expect(await world.marks.load(WEBHOOK, KEY)).toBeUndefined();
  });

  it('ignores a group without a mark if all of its events are older than the webhook', async () => {
    const { world, rung, sweep } = createSweep({ start: AFTER_THE_EVENTS });
    world.show(KEY, 1, 2);

    expect(await sweep()).toMatchObject({ done: 1 });

    expect(rung).toEqual([]);
    expect(await world.marks.load(WEBHOOK, KEY)).toBeUndefined();
  });

  it('skips lost numbers, reports them, and rings for the event after them', async () => {
    const { world, rung, sweep } = createSweep();
    world.show(KEY, 1, 4);
    await world.marks.advance(WEBHOOK, KEY, 1);

    expect(await sweep()).toMatchObject({ skipped: 1, done: 1 });

    expect(rung).toEqual(['1 4']);
    expect(await world.marks.load(WEBHOOK, KEY)).toBe(3);
    expect(world.shown.get('acme_mi8x2k_feed')).toEqual(new Set([1]));
  });

  it('waits for the first half of a transaction before it rings for a group without a mark', async () => {
    const { world, rung, sweep } = createSweep();
    world.show(KEY, 2);
    void world.clock.sleep(10).then(() => world.show(KEY, 1));

    await sweep();

    expect(rung).toEqual(['1 1']);
    expect(world.clock.elapsed()).toBe(MINUTE);
  });

  it('reports a group as failed that it could not ring for, marked or not', async () => {
    const { world, rung, sweep } = createSweep();
    world.show(aKey(99), 1, 2);

    expect(await sweep()).toMatchObject({ failed: 1 });
    await world.marks.advance(WEBHOOK, aKey(99), 1);
    expect(await sweep()).toMatchObject({ failed: 1 });

    expect(rung).toEqual([]);
  });

  it('counts a group with an undecodable event as behind', async () => {
    const { world, rung, sweep } = createSweep();
    world.show(KEY, 1, 2, 3);
    world.undecodable.add('acme_mi8x2k_1_2');
    await world.marks.advance(WEBHOOK, KEY, 1);

    expect(await sweep()).toMatchObject({ behind: 1 });

    expect(rung).toEqual([]);
  });
});
