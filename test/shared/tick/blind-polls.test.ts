// G1, G8: the service reads filters by update in another zone than it shows, so polls find nothing.
import { describe, expect, it } from 'vitest';
import { HOUR } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';
import { aBlindSource, changeSome, foundBy, SIX_HOURS } from './blind-source.ts';

const FIVE_HOURS = 5 * 3_600;

describe('polls to which the service shows no changes', () => {
  it.each([SIX_HOURS, -SIX_HOURS])(
    'degrade the source and settle nothing once a walk has found three changes (filters are off by %i s)',
    async (skew) => {
      const { world, ticks, foundBy } = await aBlindSource(skew);

      const changed = changeSome(world, 10);
      await ticks(65);

      expect(await Promise.all(changed.map(foundBy))).toEqual(changed.map(() => 'reconciliation'));
      const { health, settledThrough } = await world.state();
      expect(health.reasons).toEqual([expect.objectContaining({ code: 'behind' })]);
      expect(health.reasons[0]?.message).toContain('Polls find no changes');
      await ticks(5);
      expect((await world.state()).settledThrough).toBe(settledThrough);
    },
  );

  it('see changes again, and the source recovers, as soon as the service shows them', async () => {
    const { world, ticks, foundBy } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);

    world.control.setKnob('filterSkewSeconds', 0);
    await ticks(2);

    const types = (await world.feedEvents()).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['feed.source_degraded', 'feed.source_recovered']);
    const changed = changeSome(world, 20, 1);
    await ticks(1);
    expect(await Promise.all(changed.map(foundBy))).toEqual(['poll']);
    expect((await world.state()).stamps.pollsInDoubt).toBeUndefined();
  });

  it('are not blind if only the stamps have fallen back', async () => {
    const world = createSourceWorld({
      groups: 300,
      settings: { reconcileMs: 3_600_000 },
      knobs: { stampForm: 'none:+02:00' },
    });
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('stampForm', 'none:-05:00');
    await world.nextTick(session);

    changeSome(world, 10);
    for (let made = 0; made < 70; made += 1) await world.nextTick(session);

    const { stamps, health } = await world.state();
    expect(stamps.pollsInDoubt).toBeUndefined();
    expect(health.reasons).toEqual([]);
  });

  // The settled instant then lies so far back that polls find changes, though late ones.
  it('stay blind if a long cycle lets them find changes', async () => {
    const world = createSourceWorld({
      groups: 600,
      settings: { reconcileMs: SIX_HOURS * 1_000, intervalMs: 300_000 },
    });
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('filterSkewSeconds', FIVE_HOURS);

    const changes: { readonly id: number; readonly at: number }[] = [];
    const claimed = new Set<number>();
    for (let made = 0; made < 150; made += 1) {
      const [id] = changeSome(world, made, 1) as [number];
      changes.push({ id, at: world.time.now() });
      await world.nextTick(session, 300_000);
      const { stamps, read } = await world.state();
      if (stamps.pollsInDoubt === undefined) continue;
      for (const change of changes)
        if (change.at < (read.upTo ?? 0) && (await foundBy(world, change.id)) === undefined)
          claimed.add(change.id);
    }

    const types = (await world.feedEvents()).map(({ type }) => type);
    expect(types).toContain('feed.source_degraded');
    expect(types).not.toContain('feed.source_recovered');
    expect([...claimed]).toEqual([]);
  });

  it('are noticed from new groups too', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);

    for (let made = 0; made < 18; made += 1) {
      world.control.create();
      await ticks(10);
    }

    expect((await world.feedEvents()).map(({ type }) => type)).toContain('feed.source_degraded');
  });

  // Polls find each change two hours late. Before, that ended the count of those that walks had found.
  it('are blind if they find changes only hours late', async () => {
    const world = createSourceWorld({
      groups: 300,
      settings: { reconcileMs: 3 * 3_600_000, intervalMs: 300_000 },
    });
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('filterSkewSeconds', -2 * 3_600);

    for (let made = 0; made < 288; made += 1) {
      if (made % 7 === 3) changeSome(world, made, 1);
      await world.nextTick(session, 300_000);
    }

    expect((await world.feedEvents()).map(({ type }) => type)).toContain('feed.source_degraded');
  });

  it('leave `read_up_to` to walks, also if each tick is a new process', async () => {
    const world = createSourceWorld({
      groups: 2_000,
      settings: { reconcileMs: 3_600_000, requestsPerMinute: 60 },
      knobs: { limitMax: 50 },
    });
    const ticks = async (count: number) => {
      for (let made = 0; made < count; made += 1) {
        changeSome(world, made, 1);
        await world.nextTick(world.startProcess(`p${world.time.elapsed()}`));
      }
    };
    await ticks(10);
    world.control.setKnob('filterSkewSeconds', SIX_HOURS);
    await ticks(180);
    const before = world.requests().length;

    await ticks(180);

    const { read, stamps } = await world.state();
    expect(stamps.pollsInDoubt).toBeDefined();
    expect(world.time.now() - (read.upTo ?? 0)).toBeLessThan(2 * HOUR);
    expect(world.requests().length - before).toBeLessThan(180 * 6);
  });
});
