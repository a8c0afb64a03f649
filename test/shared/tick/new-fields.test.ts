// Fields that groups show for the first time, with a service that leaves out nulls and does not move stamps.
import { describe, expect, it } from 'vitest';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';
import { setRma, withoutRmas } from './rma-numbers.ts';

interface Row {
  readonly id: number;
  readonly returns: { status: unknown }[];
}

type Process = ReturnType<SourceWorld['startProcess']>;

const LEAVES_OUT_NULLS = { touches: [], nulls: 'absent', arrays: 'absent-if-empty' } as const;
/** A cycle of two minutes. */
const OFTEN = { reconcileMs: 120_000 };

async function ticks(world: SourceWorld, session: Process, count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) await world.nextTick(session);
}

async function typesOf(world: SourceWorld, group: number): Promise<string[]> {
  return (await world.groupEvents(group)).map(({ type }) => type);
}

describe('a field that a group shows for the first time', () => {
  it('is a change once a whole walk has read the field in every group that has it', async () => {
    const world = createSourceWorld({ settings: OFTEN, knobs: LEAVES_OUT_NULLS });
    const [first, second, third] = withoutRmas(world);
    const session = world.startProcess('a');
    await world.time.advance(3_600_000_000);
    await ticks(world, session, 6);

    setRma(world, first, 'A');
    await ticks(world, session, 60);
    setRma(world, second, 'B');
    await ticks(world, session, 60);
    setRma(world, third, 'C');
    await ticks(world, session, 6);

    expect(await typesOf(world, first)).toEqual([]);
    expect(new Set(await typesOf(world, second))).toEqual(new Set(['return_line_item.updated']));
    expect(new Set(await typesOf(world, third))).toEqual(new Set(['return_line_item.updated']));
  });

  it('is filled in when a service begins to send it, also for a group that was unreadable then', async () => {
    const world = createSourceWorld({ settings: OFTEN, knobs: LEAVES_OUT_NULLS });
    const [first, second, third] = withoutRmas(world);
    const session = world.startProcess('a');
    await world.time.advance(3_600_000_000);
    await ticks(world, session, 6);

    makeUnreadable(world, third);
    await ticks(world, session, 4);
    for (const group of [first, second, third]) setRma(world, group, 'A');
    await ticks(world, session, 12);
    const aside = (await world.state()).setAside.map(({ groupId }) => groupId);
    world.network.intercept = undefined;
    await ticks(world, session, 6);

    expect(aside).toEqual([third]);
    expect((await world.state()).wholeWalks.length).toBeGreaterThan(0);
    for (const group of [first, second, third]) expect(await typesOf(world, group)).toEqual([]);
  });
});

it('an array that a group shows for the first time is a change once a whole walk has read such arrays', async () => {
  const world = createSourceWorld({ settings: OFTEN, knobs: LEAVES_OUT_NULLS });
  const hidden = hideShipments(world);
  const [first, second] = [...hidden.keys()];
  if (first === undefined || second === undefined) throw new Error('Too few groups.');
  await world.time.advance(3_600_000_000);
  const session = world.startProcess('a');
  await ticks(world, session, 6);

  for (const group of [first, second]) {
    world.control.mutate(group, (draft) => {
      draft.shipments.push(...(hidden.get(group) ?? []));
    });
    await ticks(world, session, 8);
  }

  expect(await typesOf(world, first)).toEqual([]);
  expect(new Set(await typesOf(world, second))).toEqual(new Set(['shipment.created']));
});

type Draft = Parameters<Exclude<Parameters<SourceWorld['control']['mutate']>[1], string>>[0];

/** @returns the hidden shipments, by group */
function hideShipments(world: SourceWorld): ReadonlyMap<number, Draft['shipments']> {
  const hidden = new Map<number, Draft['shipments']>();
  for (const id of world.control.snapshot().map((group) => Number(group.id))) {
    world.control.mutate(id, (draft) => {
      const shipments = draft.shipments.splice(0);
      if (shipments.length > 0) hidden.set(id, shipments);
    });
  }
  return hidden;
}

/** Removes the status from the group's line items from now on. */
function makeUnreadable(world: SourceWorld, group: number): void {
  world.network.intercept = (request) => {
    const answer = world.reference.service.answer(request);
    if (answer.status !== 200) return answer;
    const rows: Row[] = JSON.parse(answer.body);
    for (const row of rows) {
      if (row.id === group) for (const item of row.returns) item.status = undefined;
    }
    return { ...answer, body: JSON.stringify(rows) };
  };
}
