import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

/** Lists show at most `rows` rows; the pages after them are empty. */
function showAtMost({ reference }: SourceWorld, rows: number): void {
  const { store } = reference;
  const { select } = store;
  store.select = (query, from) =>
    query.offset >= rows ? [] : select({ ...query, limit: Math.min(query.limit, rows - query.offset) }, from);
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
