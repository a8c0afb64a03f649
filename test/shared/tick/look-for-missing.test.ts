import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { SECOND } from '../../../shared/instant.ts';
import { releaseNow } from '../guarding/release-now.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const SETTINGS = { reconcileMs: 120_000 };
const REMOVED = 'return_group.removed';

async function removed(world: SourceWorld): Promise<number[]> {
  const events = await world.events();
  return events.flatMap(({ type, data }) =>
    type === REMOVED && 'return_group' in data ? [data.return_group.id] : [],
  );
}

async function ticks(world: SourceWorld, session: ReturnType<SourceWorld['startProcess']>, count: number) {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}

function oldest(world: SourceWorld, count: number): number[] {
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  return ids.filter((id) => id !== world.newest).slice(0, count);
}

describe('a group that is gone', () => {
  it('is published as removed once, after two look-ups found nothing and found another group', async () => {
    const world = createSourceWorld({ groups: 8, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const [gone = 0] = oldest(world, 1);
    world.control.remove(gone);
    await ticks(world, session, 3);
    const afterOneCycle = await removed(world);

    await ticks(world, session, 10);

    const lookUps = world.requests().filter(({ query }) => query.includes(`return_group_id=${gone}`));
    expect(afterOneCycle).toEqual([]);
    expect(await removed(world)).toEqual([gone]);
    expect(lookUps).toHaveLength(2);
    expect((await world.groupEvents(gone)).at(-1)).toMatchObject({ type: REMOVED });
  });

  it('is not published as removed as long as look-ups find no other group either', async () => {
    const world = createSourceWorld({ groups: 8, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const [gone = 0] = oldest(world, 1);
    world.control.remove(gone);
    world.network.intercept = ({ query }) => (query.has('return_group_id') ? jsonAnswer(200, []) : undefined);

    await ticks(world, session, 8);

    expect(await removed(world)).toEqual([]);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'shows a false proof if it is there after all, and was created %s the walk began: %s',
    async (when, isFalse) => {
      const world = createSourceWorld({
        groups: 8,
        latencyMs: 700,
        settings: { ...SETTINGS, intervalMs: 1_000 },
      });
      const session = world.startProcess('a');
      await world.tick(session);
      await world.time.advance(120 * SECOND);
      let created = when === 'before' ? world.control.create().groupId : undefined;
      world.network.intercept = (request) => {
        const isWalk = request.query.has('max_created_at') || request.query.has('min_created_at');
        if (!isWalk) return undefined;
        created ??= world.control.create().groupId;
        const answer = world.reference.service.answer(request);
        const rows = JSON.parse(answer.body) as { id: number }[];
        return { ...answer, body: JSON.stringify(rows.filter(({ id }) => id !== created)) };
      };

      await world.tick(session);

      const lookUps = world.requests().filter(({ query }) => query.includes(`return_group_id=${created}`));
      expect(lookUps).toHaveLength(1);
      const messages = world.logged.map(({ message }) => message);
      expect(messages.includes('A known group was missing from a range whose end was proved.')).toBe(isFalse);
    },
  );

  it('counts once if ticks end while another group is looked up to confirm it', async () => {
    const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 600_000 } });
    const session = world.startProcess('a');
    await ticks(world, session, 20);
    const gone = oldest(world, 5).slice(3);
    for (const id of gone) world.control.remove(id);
    world.hang(
      (query) => query.has('return_group_id') && !gone.includes(Number(query.get('return_group_id'))),
    );
    await ticks(world, session, 60);
    world.network.intercept = undefined;

    await ticks(world, session, 60);

    expect(standingHolds(await world.state())).toEqual([]);
    expect((await removed(world)).sort()).toEqual(gone.sort());
  });

  it('is not published as removed if only lists leave it out', async () => {
    const world = createSourceWorld({ groups: 8, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const [hidden = 0] = oldest(world, 1);
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (request.query.has('return_group_id') || answer.status !== 200) return answer;
      const rows = (JSON.parse(answer.body) as { id: number }[]).filter(({ id }) => id !== hidden);
      return { ...answer, body: JSON.stringify(rows) };
    };

    await ticks(world, session, 8);

    expect(await removed(world)).toEqual([]);
  });

  it('loses its absence if it comes back after one empty look-up', async () => {
    const world = createSourceWorld({ groups: 8, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const [blinking = 0] = oldest(world, 1);
    let isHidden = true;
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (!isHidden || answer.status !== 200) return answer;
      const rows = (JSON.parse(answer.body) as { id: number }[]).filter(({ id }) => id !== blinking);
      return { ...answer, body: JSON.stringify(rows) };
    };
    const source = await world.source();
    const absences = async () => (await world.store.load(source, [blinking])).get(blinking)?.absences;
    await ticks(world, session, 3);
    const whileHidden = await absences();

    isHidden = false;
    await ticks(world, session, 4);

    expect(Object.keys(whileHidden ?? {})).toHaveLength(1);
    expect(await absences()).toEqual({});
    expect(await removed(world)).toEqual([]);
  });
});

it('a group is not published as removed if a poll shows it between the two look-ups', async () => {
  const world = createSourceWorld({ groups: 8, settings: { reconcileMs: 60_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (request.query.has('min_updated_at') || answer.status !== 200) return answer;
    const rows = (JSON.parse(answer.body) as { id: number }[]).filter(({ id }) => id !== world.newest);
    return { ...answer, body: JSON.stringify(rows) };
  };

  await ticks(world, session, 4);

  const lookUps = world.requests().filter(({ query }) => query.includes(`return_group_id=${world.newest}`));
  expect(lookUps.length).toBeGreaterThan(1);
  expect(await removed(world)).toEqual([]);
});

describe('a group at the end of a range, which the service leaves out', () => {
  it.each([
    { name: 'pieces that begin at a known group', knobs: { order: 'random', limitMax: 7 } },
    { name: 'stamps of whole seconds', knobs: { stampPrecision: 's', compares: 'shown' } },
  ] as const)('is not missing from it: $name', async ({ knobs }) => {
    const world = createSourceWorld({
      groups: 40,
      knobs: { ...knobs, lowerBound: 'exclusive', upperBound: 'exclusive' },
      life: { changesPerSecond: 1 },
      settings: { intervalMs: 10_000, reconcileMs: 10_000 },
    });
    const session = world.startProcess('a');

    await ticks(world, session, 8);

    const lookUps = world.requests().filter(({ query }) => query.includes('return_group_id='));
    expect(lookUps).toEqual([]);
  });
});

describe('a store that has lost all known groups', () => {
  it.each([
    ['a few groups', 2, ['known_group_not_found']],
    ['many groups', 40, ['known_group_not_found', 'known_range_empty']],
  ])('(%s) is held, and all groups are published as removed after a release', async (_, groups, guards) => {
    const world = createSourceWorld({ groups, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const gone = world.control.snapshot().map(({ id }) => Number(id));
    for (const id of gone) world.control.remove(id);
    const released: string[] = [];
    await ticks(world, session, 6);
    const before = await removed(world);

    for (let minute = 0; minute < 20; minute += 1) {
      for (const { number, guard } of standingHolds(await world.state())) {
        await releaseNow(world, number);
        released.push(guard);
      }
      await world.nextTick(session);
    }

    expect(before).toEqual([]);
    expect(released).toEqual(guards);
    expect((await removed(world)).sort()).toEqual(gone.sort());
    expect((await world.state()).guarding.holds).toEqual([]);
    expect((await world.feedEvents()).at(-1)).toMatchObject({ type: 'feed.source_recovered' });
  });
});

describe('many groups that are gone at once', () => {
  it('are held, with the source degraded, until a whole cycle finds nothing to hold', async () => {
    const world = createSourceWorld({ groups: 60, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const gone = new Set(oldest(world, 25));
    let isHidden = true;
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (!isHidden || answer.status !== 200) return answer;
      const rows = (JSON.parse(answer.body) as { id: number }[]).filter(({ id }) => !gone.has(id));
      return { ...answer, body: JSON.stringify(rows) };
    };
    const codes: (readonly string[])[] = [];

    for (let minute = 0; minute < 12; minute += 1) {
      await world.nextTick(session);
      codes.push((await world.state()).health.reasons.map(({ code }) => code));
    }
    isHidden = false;
    await ticks(world, session, 5);

    const reports = (await world.feedEvents()).map(({ type }) => type);
    const heldFrom = codes.findIndex((reasons) => reasons.includes('held'));
    expect(heldFrom).toBeGreaterThanOrEqual(0);
    expect(codes.slice(heldFrom).every((reasons) => reasons.includes('held'))).toBe(true);
    expect(await removed(world)).toEqual([]);
    expect(reports).toEqual(['feed.baseline_completed', 'feed.source_degraded', 'feed.source_recovered']);
  });

  it('stay held if the cycle continues in later ticks', async () => {
    const world = createSourceWorld({
      groups: 60,
      knobs: { limitMax: 12 },
      settings: { ...SETTINGS, requestsPerMinute: 12 },
    });
    const session = world.startProcess('a');
    await world.tick(session);
    while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
    const gone = new Set(oldest(world, 25));
    world.network.intercept = (request) => {
      const answer = world.reference.service.answer(request);
      if (answer.status !== 200) return answer;
      const rows = (JSON.parse(answer.body) as { id: number }[]).filter(({ id }) => !gone.has(id));
      return { ...answer, body: JSON.stringify(rows) };
    };
    let cycles = 0;
    let completedAt: number | undefined;

    while (cycles < 3) {
      await world.nextTick(session);
      const { all } = (await world.state()).reconciliation;
      if (all.lastCompletedAt !== completedAt) cycles += 1;
      completedAt = all.lastCompletedAt;
    }

    expect((await world.feedEvents()).map(({ type }) => type)).toEqual([
      'feed.baseline_completed',
      'feed.source_degraded',
    ]);
  });

  it('are not looked up if they are more than twenty', async () => {
    const world = createSourceWorld({ groups: 60, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    for (const id of oldest(world, 25)) world.control.remove(id);

    await ticks(world, session, 8);

    expect(world.requests().filter(({ query }) => query.includes('return_group_id='))).toEqual([]);
  });

  it('are published as removed if they are only twenty', async () => {
    const world = createSourceWorld({ groups: 60, settings: SETTINGS });
    const session = world.startProcess('a');
    await world.tick(session);
    const gone = oldest(world, 20);
    for (const id of gone) world.control.remove(id);

    await ticks(world, session, 8);

    expect((await removed(world)).sort()).toEqual([...gone].sort());
  });
});
