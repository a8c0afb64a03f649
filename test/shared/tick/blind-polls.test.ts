// G1, G8: the service reads filters by update in another zone than it shows, so polls find nothing.
import { describe, expect, it } from 'vitest';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const SIX_HOURS = 6 * 3_600;

function changeSome({ control }: SourceWorld, first: number, groups = 3): number[] {
  const ids = control.snapshot().slice(first, first + groups);
  for (const { id } of ids) {
    control.mutate(Number(id), (draft) => {
      draft.return_outcome = draft.return_outcome === 'credit' ? 'refund' : 'credit';
    });
  }
  return ids.map(({ id }) => Number(id));
}

async function aBlindSource(filterSkewSeconds: number) {
  const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  world.control.setKnob('filterSkewSeconds', filterSkewSeconds);
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) await world.nextTick(session);
  };
  const foundBy = async (groupId: number) => {
    const changed = (await world.groupEvents(groupId)).find(({ type }) => type === 'return_group.updated');
    return (changed?.data as { observed?: { through: string } } | undefined)?.observed?.through;
  };
  return { world, ticks, foundBy };
}

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
    expect((await world.state()).stamps.passedOver).toBeUndefined();
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
    expect(stamps.passedOver).toBeUndefined();
    expect(health.reasons).toEqual([]);
  });

  it('are not in doubt any longer if the group that they passed over is gone', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    const changed = changeSome(world, 10);
    await ticks(65);
    expect((await world.state()).stamps.passedOver).toBeDefined();

    for (const id of changed) world.control.remove(id);
    await ticks(1);

    expect((await world.state()).stamps.passedOver).toBeUndefined();
  });

  it('stay in doubt while the question has no answer, and settle nothing', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);
    const { settledThrough } = await world.state();
    world.control.setKnob('filterSkewSeconds', 0);
    world.network.intercept = ({ query }) => {
      const [from, to] = ['min_updated_at', 'max_updated_at'].map((name) =>
        Date.parse(query.get(name) ?? ''),
      );
      const isNarrow = (to ?? Number.NaN) - (from ?? Number.NaN) < 5_000;
      return isNarrow
        ? { status: 500, headers: {}, body: 'broken', delivery: 'whole', afterMs: 0 }
        : undefined;
    };

    await ticks(1);

    expect(await world.state()).toMatchObject({ settledThrough, stamps: { passedOver: expect.anything() } });
  });

  it('follow a group that changes again', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    const changed = changeSome(world, 10);
    await ticks(65);
    const before = (await world.state()).stamps.passedOver;

    expect(changeSome(world, 10)).toEqual(changed);
    await ticks(1);

    const { passedOver } = (await world.state()).stamps;
    expect(passedOver?.groupId).toBe(before?.groupId);
    expect(passedOver?.updatedAt).toBeGreaterThan(before?.updatedAt ?? 0);
  });
});
