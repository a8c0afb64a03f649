// The defect: `reconciled_through` passed differences that the walk itself had found and not published.
import { expect, it } from 'vitest';
import { forgetGroup } from '../../../shared/comparing/forget-group.ts';
import { standingHolds } from '../../../shared/guarding/holds.ts';
import { formatInstant, HOUR } from '../../../shared/instant.ts';
import type { Save } from '../../../shared/ports.ts';
import { readReportsOf } from '../read-reports.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const aWorld = (groups: number) =>
  createSourceWorld({ groups, settings: { reconcileMs: 120_000, sourceRead: true }, knobs: { touches: [] } });

/** Changes a group's shipments without a stamp; the tracking number is unmistakable. */
function change(world: SourceWorld, group: number): string {
  world.control.mutate(group, (draft) => {
    for (const shipment of draft.shipments) shipment.tracking_number = 'CHANGED';
  });
  return formatInstant(world.time.now());
}

/** No report before the change is published may claim that it was read. */
async function expectTruth(
  world: SourceWorld,
  tick: () => Promise<unknown>,
  group: number,
  changedAt: string,
  ticks = 6,
) {
  for (let ticked = 0; ticked < ticks; ticked += 1) {
    await tick();
    if (JSON.stringify(await world.groupEvents(group)).includes('CHANGED')) break;
    const report = (await readReportsOf(world)).at(-1);
    expect(report?.reconciled_through?.localeCompare(changedAt)).toBe(-1);
  }
}

it('does not pass a change that is left when its hold ends', async () => {
  const world = aWorld(80);
  const session = world.startProcess('a');
  for (let tick = 0; tick < 7; tick += 1) await world.nextTick(session);
  const shipped = world.control.snapshot().filter(({ shipments }) => shipments.length > 0);
  const carriers = new Map(
    shipped.map(({ id, shipments }) => [Number(id), shipments.map((each) => each.carrier)]),
  );
  const nameCarriers = (name: (group: number, at: number) => string | null) => {
    for (const group of carriers.keys())
      world.control.mutate(group, (draft) => {
        for (const [at, shipment] of draft.shipments.entries()) shipment.carrier = name(group, at);
      });
  };
  nameCarriers(() => 'Another');
  for (let tick = 0; tick < 4; tick += 1) await world.nextTick(session);
  expect(standingHolds(await world.state())).toHaveLength(1);
  const [group = 0] = carriers.keys();
  const changedAt = change(world, group);
  for (let tick = 0; tick < 4; tick += 1) await world.nextTick(session);
  nameCarriers((each, at) => (carriers.get(each)?.[at] ?? null) as string | null);

  await expectTruth(world, () => world.nextTick(session), group, changedAt);

  expect(standingHolds(await world.state())).toHaveLength(0);
});

it('does not pass a change that waits for a snapshot dated by a clock that was ahead', async () => {
  const world = aWorld(40);
  const session = world.startProcess('a');
  for (let tick = 0; tick < 4; tick += 1) await world.nextTick(session);
  const group = world.someGroup();
  const key = await world.source();
  const snapshot = (await world.store.load(key, [group])).get(group);
  if (snapshot === undefined) throw new Error('The group is not known.');
  const forgotten = forgetGroup(snapshot, world.time.now() + HOUR);
  await world.store.saveAll(key, [{ expectedVersion: snapshot.version, snapshot: forgotten }]);
  await world.nextTick(session);
  const changedAt = change(world, group);

  await expectTruth(world, () => world.nextTick(session), group, changedAt, 12);
});

/** The first such save fails, as if the table was out of reach. */
function failOnce({ store }: SourceWorld, fails: (save: Save) => boolean): void {
  const save = store.save;
  store.save = async (key, given) => {
    if (!fails(given)) return save(key, given);
    store.save = save;
    throw new Error('The table is out of reach.');
  };
}

it('does not pass the rest of a large change of which one part was saved', async () => {
  const settings = { reconcileMs: 600_000, settleMs: 120_000, sourceRead: true };
  const world = createSourceWorld({ groups: 40, settings, knobs: { touches: [] } });
  const session = world.startProcess('a');
  for (let tick = 0; tick < 12; tick += 1) await world.nextTick(session);
  const group = world.someGroup();
  world.control.mutate(group, (draft) => {
    const [shipment] = draft.shipments;
    if (shipment === undefined) throw new Error('The group has no shipment.');
    const more = Array.from({ length: 95 }, (_, index) => ({ ...shipment, id: 7_000_000 + index }));
    draft.shipments.push(...more, { ...shipment, id: 7_001_000, tracking_number: 'CHANGED' });
  });
  const changedAt = formatInstant(world.time.now());
  failOnce(world, ({ snapshot, events }) => snapshot.groupId === group && events.length < 90);

  await expectTruth(world, () => world.nextTick(session).catch(() => undefined), group, changedAt, 30);

  expect(JSON.stringify(await world.groupEvents(group))).toContain('CHANGED');
});
