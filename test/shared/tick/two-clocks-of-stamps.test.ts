// No stamp names its zone, and created_at is in another one than updated_at, as with two columns of different types; or
// the two come from clocks that differ.
import { expect, it } from 'vitest';
import { formatInstant, HOUR, MILLISECOND, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { readReportsOf } from '../read-reports.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const TICKS = 120;

/** Shows every updated_at earlier by this time, and reads bounds on it in the same way. */
function setUpdatesBack({ network, reference }: SourceWorld, behind: number): void {
  const shift = (stamp: string, by: number) => {
    const { instant, zoned } = parseStamp(stamp) ?? { instant: 0, zoned: false };
    return formatInstant(instant + by).replace(/Z$/, zoned ? 'Z' : '');
  };
  network.intercept = (request) => {
    const query = new URLSearchParams(request.query);
    for (const name of ['min_updated_at', 'max_updated_at']) {
      const bound = query.get(name);
      if (bound !== null) query.set(name, shift(bound, behind));
    }
    const answer = reference.service.answer({ ...request, query });
    if (answer.status !== 200) return answer;
    const rows = JSON.parse(answer.body) as { updated_at: string }[];
    for (const row of rows) row.updated_at = shift(row.updated_at, -behind);
    return { ...answer, body: JSON.stringify(rows) };
  };
}

it.each([
  ['names no zone and is five hours behind', 'none', 5 * HOUR],
  ['is ten minutes behind', 'Z', 10 * MINUTE],
])('polls find changes in time if updated_at %s, while created_at is right', async (_, stampForm, behind) => {
  const world = createSourceWorld({
    groups: 60,
    settings: { reconcileMs: HOUR / MILLISECOND, sourceRead: true },
    knobs: { stampForm },
  });
  setUpdatesBack(world, behind);
  const session = world.startProcess('a');
  const shipped = world.control.snapshot().filter(({ shipments }) => shipments.length > 0);
  await world.tick(session);
  for (let tick = 0; tick < 10; tick += 1) await world.nextTick(session);

  const waiting = new Map<string, { readonly tick: number; readonly stamp: string }>();
  const late: string[] = [];
  for (let tick = 0; tick < TICKS; tick += 1) {
    if (tick % 6 === 0) world.control.create();
    if (tick % 6 === 3) {
      const carrier = `Carrier ${tick}`;
      waiting.set(carrier, { tick, stamp: formatInstant(world.time.now() - behind) });
      world.control.mutate(Number(shipped[tick % shipped.length]?.id), (draft) => {
        for (const shipment of draft.shipments) shipment.carrier = carrier;
      });
    }
    await world.nextTick(session);
    const published = JSON.stringify(await world.events());
    const { read_up_to: readUpTo = '' } = (await readReportsOf(world)).at(-1) ?? {};
    for (const [carrier, { tick: changedIn, stamp }] of waiting) {
      if (published.includes(`"${carrier}"`)) waiting.delete(carrier);
      else if (tick > changedIn + 1 || (readUpTo ?? '') > stamp) late.push(carrier);
    }
  }

  expect(late).toEqual([]);
  expect(waiting.size).toBe(0);
});
