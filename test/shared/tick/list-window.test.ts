import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { HOUR, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

/** Lists show at most `rows` rows; the pages after them are empty. */
function showAtMost({ reference }: SourceWorld, rows: number): void {
  const { store } = reference;
  const { select } = store;
  store.select = (query, from) =>
    query.offset >= rows ? [] : select({ ...query, limit: Math.min(query.limit, rows - query.offset) }, from);
}

/** The same, but only for lists bounded by update, or only for all others. */
function showAtMostOf(axis: 'updated' | 'created', { reference, network }: SourceWorld, rows: number): void {
  network.intercept = (request) => {
    const query = new URLSearchParams(request.query);
    const isByUpdate = query.has('min_updated_at') || query.has('max_updated_at');
    const left = rows - Number(query.get('offset') ?? 0);
    if (isByUpdate !== (axis === 'updated')) return undefined;
    if (left <= 0) return jsonAnswer(200, []);
    query.set('limit', String(Math.min(left, Number(query.get('limit') ?? left))));
    return reference.service.answer({ ...request, query });
  };
}

/** Changes these groups of the store, 100 ms apart and returns their ids. */
async function change(world: SourceWorld, from: number, to: number): Promise<number[]> {
  const changed = [...shownGroups(world)].slice(from, to);
  for (const id of changed) {
    world.reference.store.alter(id, (draft) => void Object.assign(draft, { credit_method: 'CHANGED' }));
    await world.time.advance(100 * MILLISECOND);
  }
  return changed;
}

/** Of these groups, those whose change was published. */
async function publishedOf(world: SourceWorld, groups: readonly number[]): Promise<number[]> {
  const published: number[] = [];
  for (const id of groups) if ((await world.groupEvents(id)).length > 0) published.push(id);
  return published;
}

/** The service refuses offsets of `from` and more. */
function refuseOffsets({ network }: SourceWorld, from: number, status: number): void {
  const problem = { loc: ['query', 'offset'], msg: `Input should be less than ${from}`, type: 'less_than' };
  network.intercept = ({ query }) =>
    Number(query.get('offset') ?? 0) < from ? undefined : jsonAnswer(status, { detail: [problem] });
}

async function knownGroups(world: SourceWorld): Promise<Set<number>> {
  const source = await world.source();
  return new Set(world.store.all(source).map(({ groupId }) => groupId));
}

function shownGroups({ control }: SourceWorld): Set<number> {
  return new Set(control.snapshot().map(({ id }) => Number(id)));
}

async function walkThrough(world: SourceWorld): Promise<void> {
  const session = world.startProcess('a');
  await world.tick(session);
  for (let ticks = 0; ticks < 20; ticks += 1) {
    if ((await world.state()).baseline.status === 'completed') return;
    await world.nextTick(session);
  }
}

describe('a list that shows only its first rows', () => {
  it.each(['created_at:desc', 'created_at:asc', 'updated_at:desc', 'id:asc', 'random'] as const)(
    'is read in ranges of fewer rows (order %s)',
    async (order) => {
      const world = createSourceWorld({ groups: 260, knobs: { order, limitMax: 20 } });
      showAtMost(world, 100);

      await walkThrough(world);

      expect((await world.state()).baseline.status).toBe('completed');
      expect(await knownGroups(world)).toEqual(shownGroups(world));
    },
  );

  it('is read in ranges of fewer rows if one page holds all the rows that are shown', async () => {
    const world = createSourceWorld({ groups: 260, knobs: { limitMax: 50 } });
    showAtMost(world, 50);

    await walkThrough(world);

    expect((await world.state()).baseline.status).toBe('completed');
    expect(await knownGroups(world)).toEqual(shownGroups(world));
  });

  it('is detected if the window appears after the baseline', async () => {
    const world = createSourceWorld({
      groups: 260,
      knobs: { limitMax: 20, order: 'created_at:asc' },
      settings: { reconcileMs: 120_000 },
    });
    const session = world.startProcess('a');
    await walkThrough(world);
    showAtMost(world, 100);
    const victim = [...shownGroups(world)].sort((a, b) => a - b).at(-60) ?? 0;
    const { store } = world.reference;
    const { touches } = world.control.knobs();
    world.control.setKnob('touches', []);
    store.alter(victim, (draft) => {
      draft.return_outcome = draft.return_outcome === 'credit' ? 'refund' : 'credit';
    });
    world.control.setKnob('touches', touches);

    for (let ticks = 0; ticks < 12; ticks += 1) await world.nextTick(session);

    const events = await world.groupEvents(victim);
    expect(events.map(({ type }) => type)).toEqual(['return_group.updated']);
    expect((await world.events()).filter(({ type }) => type.endsWith('.removed'))).toEqual([]);
  });
});

describe('a list by update that shows only its first rows, while lists by creation show all', () => {
  it('is read by polls in ranges of fewer rows', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 20 },
      settings: { reconcileMs: HOUR / MILLISECOND },
    });
    showAtMostOf('updated', world, 40);
    const session = world.startProcess('a');
    await world.tick(session);
    for (let minute = 0; minute < 65; minute += 1) await world.nextTick(session);
    const changed = await change(world, 0, 90);

    for (let minute = 0; minute < 10; minute += 1) await world.nextTick(session);

    const { health, settledThrough } = await world.state();
    expect(await publishedOf(world, changed)).toEqual(changed);
    expect(world.time.now() - settledThrough).toBeLessThan(10 * MINUTE);
    expect(health.degradedSince).toBeUndefined();
  });
});

describe('a window that appears after the baseline', () => {
  it('is detected by polls an hour later, even in the middle of a long cycle', async () => {
    const world = createSourceWorld({
      groups: 200,
      knobs: { limitMax: 20 },
      settings: { reconcileMs: (12 * HOUR) / MILLISECOND },
    });
    await walkThrough(world);
    const session = world.startProcess('b');
    await change(world, 0, 90);
    for (let minute = 0; minute < 10; minute += 1) await world.nextTick(session);
    showAtMost(world, 40);
    for (let minute = 0; minute < 65; minute += 1) await world.nextTick(session);
    const changed = await change(world, 95, 185);

    for (let minute = 0; minute < 10; minute += 1) await world.nextTick(session);

    expect(await publishedOf(world, changed)).toEqual(changed);
  });
});

describe('a list by creation that shows only its first rows, while lists by update show all', () => {
  it('is walked in ranges of fewer rows, although polls have read longer lists', async () => {
    const world = createSourceWorld({ groups: 200, knobs: { limitMax: 20 } });
    showAtMostOf('created', world, 40);
    await change(world, 0, 60);

    await walkThrough(world);

    expect((await world.state()).baseline.status).toBe('completed');
    expect(await knownGroups(world)).toEqual(shownGroups(world));
  });
});

describe('a list that refuses offsets', () => {
  it.each([
    [422, 120],
    [400, 120],
    [422, 45],
    [504, 120],
  ])('with %i from %i on is read in ranges of fewer rows', async (status, from) => {
    const world = createSourceWorld({ groups: 260, knobs: { limitMax: 20 } });
    refuseOffsets(world, from, status);

    await walkThrough(world);

    expect((await world.state()).baseline.status).toBe('completed');
    expect(await knownGroups(world)).toEqual(shownGroups(world));
  });

  it('is also read by polls in ranges of fewer rows if many groups change at once', async () => {
    const world = createSourceWorld({ groups: 120, knobs: { limitMax: 20 } });
    refuseOffsets(world, 45, 422);
    const session = world.startProcess('a');
    await walkThrough(world);
    const changed = [...shownGroups(world)].slice(0, 100);
    for (const id of changed) {
      world.reference.store.alter(
        id,
        (draft) => void Object.assign(draft, { credit_method: 'STORE_CREDIT' }),
      );
      await world.time.advance(300_000);
    }

    for (let ticks = 0; ticks < 8; ticks += 1) await world.nextTick(session);

    const { health, settledThrough } = await world.state();
    expect(health.degradedSince).toBeUndefined();
    expect(world.time.now() - settledThrough).toBeLessThan(10 * 60_000_000);
  });
});
