// A field that no group shows, until a test sets it.
import type { SourceWorld } from '../source-world.ts';

/** Removes the RMA number of every group; returns three groups that have a line item. */
export function withoutRmas(world: SourceWorld): readonly [number, number, number] {
  const ids = world.control.snapshot().map(({ id }) => Number(id));
  for (const id of ids) setRma(world, id, null);
  const [first, second, third] = world.control
    .snapshot()
    .filter(({ returns }) => returns.length > 0)
    .map(({ id }) => Number(id));
  if (first === undefined || second === undefined || third === undefined) throw new Error('Too few groups.');
  return [first, second, third];
}

export function setRma(world: SourceWorld, group: number, rma: string | null): void {
  world.control.mutate(group, (draft) => {
    for (const item of draft.returns) item.last_rma_number = rma;
  });
}
