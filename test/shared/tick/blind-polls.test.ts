// G1, G8: the service reads filters by update in another zone than it shows, so polls find nothing.
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { formatInstant, HOUR, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const FIVE_HOURS = 5 * 3_600;
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

/** Replaces the service's answers to some requests. */
function answer(
  { network }: SourceWorld,
  isMeant: (query: URLSearchParams) => boolean,
  body: string,
  more: Partial<Answer> = {},
): void {
  network.intercept = ({ query }) =>
    isMeant(query) ? { status: 200, headers: {}, body, delivery: 'whole', afterMs: 0, ...more } : undefined;
}

/** Whether a list is as short as the question for one group. */
function isShort(query: URLSearchParams): boolean {
  const [from = 0, to = 0] = ['min_updated_at', 'max_updated_at'].map((name) =>
    Date.parse(query.get(name) ?? ''),
  );
  return to - from < 150_000;
}

async function foundBy(world: SourceWorld, groupId: number): Promise<string | undefined> {
  const changed = (await world.groupEvents(groupId)).find(({ type }) => type === 'return_group.updated');
  return (changed?.data as { observed?: { through: string } } | undefined)?.observed?.through;
}

async function aBlindSource(filterSkewSeconds: number) {
  const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  world.control.setKnob('filterSkewSeconds', filterSkewSeconds);
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) await world.nextTick(session);
  };
  return { world, ticks, foundBy: (groupId: number) => foundBy(world, groupId) };
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

  it.each([1, 3])('stay blind if %i of the groups that they passed over are gone', async (gone) => {
    const { world, ticks, foundBy } = await aBlindSource(SIX_HOURS);
    const changed = changeSome(world, 10);
    await ticks(65);
    const { settledThrough } = await world.state();

    for (const id of changed.slice(0, gone)) world.control.remove(id);
    await ticks(10);
    expect(await world.state()).toMatchObject({ settledThrough, health: { reasons: [{ code: 'behind' }] } });

    world.control.setKnob('filterSkewSeconds', 0);
    const [later] = changeSome(world, 20, 1) as [number];
    await ticks(3);
    expect(await foundBy(later)).toBe('poll');
    expect((await world.state()).health.reasons).toEqual([]);
  });

  it('stay blind if look-ups find nothing', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    answer(world, (query) => query.has('return_group_id'), '[]');

    for (let hour = 0; hour < 3; hour += 1) {
      changeSome(world, 10 + 3 * hour);
      await ticks(60);
    }

    expect((await world.state()).health.reasons).toMatchObject([{ code: 'behind' }]);
    expect((await world.feedEvents()).map(({ type }) => type)).not.toContain('feed.source_recovered');
  });

  // The settled instant then lies so far back that polls find changes, though late ones.
  it('stay blind if a cycle is longer than filters are off', async () => {
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

  it('stay in doubt while the question has no answer, and settle nothing', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);
    const { settledThrough } = await world.state();
    world.control.setKnob('filterSkewSeconds', 0);
    answer(world, isShort, 'broken', { status: 500 });

    await ticks(1);

    expect(await world.state()).toMatchObject({
      settledThrough,
      stamps: { pollsInDoubt: expect.anything() },
    });
  });

  it('are not in doubt for long if the groups are gone and nothing else changes', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 600_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    world.control.setKnob('lateSeconds', { least: 600, most: 600 });
    const changed = changeSome(world, 50);
    world.control.setKnob('lateSeconds', { least: 0, most: 0 });
    const isFound = async () => (await foundBy(world, changed[0] as number)) !== undefined;
    for (let made = 0; made < 60 && !(await isFound()); made += 1) await world.nextTick(session);
    for (const id of changed) world.control.remove(id);

    for (let made = 0; made < 30; made += 1) await world.nextTick(session);

    const { stamps, health } = await world.state();
    expect(stamps.pollsInDoubt).toBeUndefined();
    expect(health.reasons).toEqual([]);
  });

  it('are not blind if the service rounds filters to the minute', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
    world.network.intercept = (request) => {
      const query = new URLSearchParams(request.query);
      for (const name of ['min_updated_at', 'max_updated_at']) {
        const bound = parseStamp(query.get(name) ?? '')?.instant;
        if (bound !== undefined) query.set(name, formatInstant(Math.floor(bound / MINUTE) * MINUTE));
      }
      return world.reference.service.answer({ ...request, query });
    };
    const session = world.startProcess('a');
    await world.tick(session);
    await world.nextTick(session, 625_000);
    world.control.setKnob('lateSeconds', { least: 1_800, most: 1_800 });
    changeSome(world, 10);
    world.control.setKnob('lateSeconds', { least: 0, most: 0 });

    for (let made = 0; made < 70; made += 1) await world.nextTick(session);

    const { stamps, health } = await world.state();
    expect(stamps.pollsInDoubt).toBeUndefined();
    expect(health.reasons).toEqual([]);
  });

  it('are noticed by new groups as well', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);

    for (let made = 0; made < 18; made += 1) {
      world.control.create();
      await ticks(10);
    }

    expect((await world.feedEvents()).map(({ type }) => type)).toContain('feed.source_degraded');
  });

  it('leave time for walks if look-ups hang as well', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
    await world.tick(world.startProcess('a'));
    world.control.setKnob('filterSkewSeconds', SIX_HOURS);
    answer(world, (query) => query.has('return_group_id'), '[]', { delivery: 'hang' });
    const changed: number[] = [];
    for (let made = 0; made < 300; made += 1) {
      if (made % 20 === 0) changed.push(...changeSome(world, 20 + made, 1));
      await world.time.advance(MINUTE - (world.time.now() % MINUTE));
      await world.tick(world.startProcess(`p${made}`), { durationMs: 45_000 });
    }

    const found = await Promise.all(changed.map((id) => foundBy(world, id)));
    expect(found.slice(0, 10)).toEqual(Array(10).fill('reconciliation'));
  });

  it('ask for a group that changes again by its new stamp', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    const changed = changeSome(world, 10);
    await ticks(65);
    const asked = async () => {
      const { changed = [] } = (await world.state()).stamps.pollsInDoubt ?? {};
      return new Map(changed.map(({ groupId, updatedAt }) => [groupId, updatedAt]));
    };
    const before = await asked();

    expect(changeSome(world, 10)).toEqual(changed);
    await ticks(3);

    const after = await asked();
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [groupId, updatedAt] of after) expect(updatedAt).toBeGreaterThan(before.get(groupId) ?? 0);
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

  it('leave claims to walks, also if each tick is a new process', async () => {
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

  it('are not blind if the service leaves out some groups only', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    await world.nextTick(session, 600_000);
    const unlisted = changeSome(world, 10).map(String);
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (!request.query.has('min_updated_at')) return answer;
      const rows = (JSON.parse(answer.body) as { id: number }[]).filter(
        ({ id }) => !unlisted.includes(String(id)),
      );
      return { ...answer, body: JSON.stringify(rows) };
    };
    for (let made = 0; made < 65; made += 1) await world.nextTick(session);
    expect((await world.state()).stamps.pollsInDoubt).toBeDefined();

    for (let made = 0; made < 3; made += 1) {
      changeSome(world, 20 + made, 1);
      await world.nextTick(session);
    }

    expect((await world.state()).stamps.pollsInDoubt).toBeUndefined();
  });

  it('are no longer in doubt if a poll finds a change and the question got no answer for two hours', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);
    world.control.setKnob('filterSkewSeconds', 0);
    answer(world, isShort, 'broken', { status: 500 });

    await ticks(110);
    changeSome(world, 20, 1);
    await ticks(2);
    expect((await world.state()).stamps.pollsInDoubt).toBeDefined();

    await ticks(10);
    changeSome(world, 30, 1);
    await ticks(2);
    expect((await world.state()).health.reasons).toEqual([]);
  });

  it('leave time for polls and walks if the question hangs and each tick is a new process', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);
    answer(world, isShort, '[]', { delivery: 'hang' });
    const [later] = changeSome(world, 20, 1) as [number];

    for (let made = 0; made < 70; made += 1) await world.nextTick(world.startProcess(`b${made}`));

    expect((await world.groupEvents(later)).length).toBe(1);
  });
});
