// G1, G8: a list shows only its first rows, and an import created and updated more rows than a page holds within a few
// seconds. Pages that can't contain a new row seem to confirm the end of the list.
import { describe, expect, it, vi } from 'vitest';
import { DAY, MILLISECOND } from '../../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

function showAtMost({ reference }: SourceWorld, rows: number): void {
  const { store } = reference;
  const { select } = store;
  store.select = (query, from) =>
    query.offset >= rows ? [] : select({ ...query, limit: Math.min(query.limit, rows - query.offset) }, from);
}

// Virtual hours of ticks: ten seconds of computing, several times that on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe('an import behind a window of 100 rows', () => {
  it.each([
    ['at once, pages of 20', 0, 20],
    ['ten a second, pages of 20', 100, 20],
    ['forty a second, pages of 20', 25, 20],
  ])('(%s) is read, or the source is degraded', async (_, apartMs, limitMax) => {
    const world = createSourceWorld({
      groups: 10,
      knobs: { limitMax, order: 'created_at:asc' },
      settings: { reconcileMs: 120_000 },
    });
    const importedAt = world.time.now() - 200 * DAY;
    for (let index = 0; index < 250; index += 1) {
      world.control.create((draft) => {
        const at = importedAt + index * apartMs * MILLISECOND;
        Object.assign(draft, { created_at: at, updated_at: at });
      });
    }
    showAtMost(world, 100);
    const session = world.startProcess('a');
    await world.tick(session);
    for (let ticks = 0; ticks < 15; ticks += 1) await world.nextTick(session);

    const { health } = await world.state();
    const known = new Set(world.store.all(await world.source()).map(({ groupId }) => groupId));
    const shown = world.control.snapshot().map(({ id }) => Number(id));
    const missing = shown.filter((id) => !known.has(id)).length;
    const isDegraded = health.degradedSince !== undefined;
    expect({ missing, isDegraded }).toEqual({ missing: isDegraded ? missing : 0, isDegraded });
  });
});
