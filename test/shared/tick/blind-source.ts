// A source whose service reads filters by update in another zone than it shows, and what its tests share.
import type { Answer } from '../../../local/reference-service/service/answer.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

export const SIX_HOURS = 6 * 3_600;

export function changeSome(world: SourceWorld, first: number, groups = 3): number[] {
  const changed = world.control.groupIds().slice(first, first + groups);
  for (const id of changed) world.change(id);
  return changed;
}

/** Replaces the service's answers to some requests. */
export function answer(
  { network }: SourceWorld,
  isMeant: (query: URLSearchParams) => boolean,
  body: string,
  more: Partial<Answer> = {},
): void {
  network.intercept = ({ query }) =>
    isMeant(query) ? { status: 200, headers: {}, body, delivery: 'whole', afterMs: 0, ...more } : undefined;
}

/** Whether a list is as short as the question for one group. */
export function isShort(query: URLSearchParams): boolean {
  const [from = 0, to = 0] = ['min_updated_at', 'max_updated_at'].map((name) =>
    Date.parse(query.get(name) ?? ''),
  );
  return to - from < 150_000;
}

export async function foundBy(world: SourceWorld, groupId: number): Promise<string | undefined> {
  const changed = (await world.groupEvents(groupId)).find(({ type }) => type === 'return_group.updated');
  return (changed?.data as { observed?: { through: string } } | undefined)?.observed?.through;
}

export async function aBlindSource(filterSkewSeconds: number) {
  const world = createSourceWorld({ groups: 300, settings: { reconcileMs: 3_600_000 } });
  const session = world.startProcess('a');
  await world.tick(session);
  world.control.setKnob('filterSkewSeconds', filterSkewSeconds);
  const ticks = async (count: number) => {
    for (let made = 0; made < count; made += 1) await world.nextTick(session);
  };
  return { world, session, ticks, foundBy: (groupId: number) => foundBy(world, groupId) };
}
