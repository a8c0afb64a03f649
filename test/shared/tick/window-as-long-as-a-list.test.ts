// A list with exactly as many rows as the service shows of any list makes that place trusted, for an hour at most:
// docs/guarantees.md, "Where they end".
import { expect, it } from 'vitest';
import { DAY } from '../../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

function showAtMost({ reference }: SourceWorld, rows: number): void {
  const { store } = reference;
  const { select } = store;
  store.select = (query, from) =>
    query.offset >= rows ? [] : select({ ...query, limit: Math.min(query.limit, rows - query.offset) }, from);
}

it.each([[100], [99]])(
  'a walk finds imported groups within an hour and a cycle (%i groups, a window of 100)',
  async (groups) => {
    const world = createSourceWorld({ groups: groups - 1, knobs: { limitMax: 20 } });
    showAtMost(world, 100);
    const session = world.startProcess('a');
    await world.tick(session);
    for (let minute = 0; minute < 12; minute += 1) await world.nextTick(session);
    expect((await world.state()).baseline.status).toBe('completed');
    for (let index = 0; index < 60; index += 1) {
      world.control.create((draft) => {
        const at = world.time.now() - 900 * DAY + index * DAY;
        Object.assign(draft, { created_at: at, updated_at: at });
      });
    }

    for (let minute = 0; minute < 72; minute += 1) await world.nextTick(session);

    const known = new Set(world.store.all(await world.source()).map(({ groupId }) => groupId));
    const missing = world.control.snapshot().filter(({ id }) => !known.has(Number(id))).length;
    expect(missing).toBe(0);
  },
);
