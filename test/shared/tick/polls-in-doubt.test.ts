// G8: each poll asks the service whether polls see changes, as long as that is in doubt. These tests show what it asks,
// and which answers end the doubt.
import { describe, expect, it } from 'vitest';
import { formatInstant, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';
import { aBlindSource, answer, changeSome, foundBy, isShort, SIX_HOURS } from './blind-source.ts';

describe('polls in doubt', () => {
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

  it('are in doubt until something changes, if the groups are gone', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 600_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    await world.nextTick(session, 600_000);
    world.control.setKnob('lateSeconds', { least: 600, most: 600 });
    const changed = changeSome(world, 50);
    world.control.setKnob('lateSeconds', { least: 0, most: 0 });
    const isFound = async () => (await foundBy(world, changed[0] as number)) !== undefined;
    for (let made = 0; made < 60 && !(await isFound()); made += 1) await world.nextTick(session);
    for (const id of changed) world.control.remove(id);

    for (let made = 0; made < 30; made += 1) await world.nextTick(session);
    const inDoubt = (await world.state()).stamps.pollsInDoubt;
    changeSome(world, 100, 1);
    for (let made = 0; made < 3; made += 1) await world.nextTick(session);

    const { stamps, health } = await world.state();
    expect(inDoubt).toEqual({ changed: [], unansweredSince: undefined });
    expect(stamps.pollsInDoubt).toBeUndefined();
    expect(health.reasons).toEqual([]);
  });

  // Before, the oldest group ended the doubt: lists still showed it at its old stamp.
  it('stay blind if the index of updates stands still, also if the groups are gone', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
    const session = world.startProcess('a');
    const ticks = async (count: number) => {
      for (let made = 0; made < count; made += 1) await world.nextTick(session);
    };
    await ticks(6);
    const stoodStillAt = new Date(world.time.now() / 1_000).toISOString();
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (!request.query.has('min_updated_at')) return answer;
      const rows = JSON.parse(answer.body) as { readonly updated_at: string }[];
      return { ...answer, body: JSON.stringify(rows.filter(({ updated_at }) => updated_at < stoodStillAt)) };
    };
    await ticks(48);
    const changed = changeSome(world, 10);
    await ticks(18);
    for (const id of changed) world.control.remove(id);
    const removedAt = world.time.now();
    await ticks(6);
    changeSome(world, 40, 5);
    await ticks(30);

    const types = (await world.feedEvents()).map(({ type }) => type);
    expect(types).toContain('feed.source_degraded');
    expect(types).not.toContain('feed.source_recovered');
    expect((await world.state()).read.upTo).toBeLessThan(removedAt);
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

  it('leave time for walks if look-ups hang as well', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
    await world.tick(world.startProcess('a'));
    world.control.setKnob('filterSkewSeconds', SIX_HOURS);
    world.hang((query) => query.has('return_group_id'));
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

  it.each([0, 1, 2])(
    'are cleared by another group if lists leave out number %i of the three',
    async (place) => {
      const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 600_000 } });
      const session = world.startProcess('a');
      await world.tick(session);
      const changed: number[] = [];
      world.control.setKnob('lateSeconds', { least: 2_400, most: 2_400 });
      for (let made = 0; made < 3; made += 1) {
        await world.nextTick(session, 300_000);
        changed.push(...changeSome(world, 50 + made, 1));
      }
      world.control.setKnob('lateSeconds', { least: 0, most: 0 });
      world.network.intercept = (request) => {
        const answer = world.reference.service.answer(request);
        if (!request.query.has('min_updated_at')) return answer;
        const rows = (JSON.parse(answer.body) as { id: number }[]).filter(({ id }) => id !== changed[place]);
        return { ...answer, body: JSON.stringify(rows) };
      };

      for (let made = 0; made < 70; made += 1) await world.nextTick(session);

      expect(await Promise.all(changed.map((id) => foundBy(world, id)))).toEqual(
        Array(3).fill('reconciliation'),
      );
      const { stamps, health } = await world.state();
      expect(stamps.pollsInDoubt).toBeUndefined();
      expect(health.reasons).toEqual([]);
    },
  );

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

  it('are no longer in doubt after two hours, also if the clock of the first tick was a day ahead', async () => {
    const { world, ticks, session } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);
    world.control.setKnob('filterSkewSeconds', 0);
    answer(world, isShort, 'broken', { status: 500 });

    await world.tick(session, { slot: world.slot() + 86_400_000 });
    await ticks(130);
    changeSome(world, 20, 1);
    await ticks(2);

    expect((await world.state()).stamps.pollsInDoubt).toBeUndefined();
  });

  it('leave time for polls and walks if the question hangs and each tick is a new process', async () => {
    const { world, ticks } = await aBlindSource(SIX_HOURS);
    changeSome(world, 10);
    await ticks(65);
    world.hang(isShort);
    const [later] = changeSome(world, 20, 1) as [number];

    for (let made = 0; made < 70; made += 1) await world.nextTick(world.startProcess(`b${made}`));

    expect((await world.groupEvents(later)).length).toBe(1);
  });
});
