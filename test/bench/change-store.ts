// Changes the store while readers watch. The store's own changes concentrate on its few open groups, so a reader that
// rereads recently changed groups finds nearly all of them. Here each change is therefore of a random group, which is
// harder: only reading that group shows a change that did not move its stamp. No entity gets a status twice, so that
// each sighting of a status belongs to one change.
import { createRandom, mix, type Random } from '../../local/reference-service/store/seeded-random.ts';
import type { StoredGroup } from '../../local/reference-service/store/stored-group.ts';
import type { BenchWorld } from './bench-world.ts';

const NEW_GROUPS = 0.05;
const STATUSES = {
  returns: ['IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'],
  shipments: ['DRAFT', 'CREATED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'CANCELED', 'UNKNOWN'],
  exchange_line_items: ['UNPROCESSED', 'PROCESSED', 'CANCELED'],
} as const;

type Kind = keyof typeof STATUSES;

/** Changes the store for `forMs`. */
export async function changeStore(world: BenchWorld, seed: number, forMs: number): Promise<void> {
  const { time, service, setting } = world;
  const random = createRandom(mix(seed, 71));
  const groups = Array.from(service.store.groups(), ({ id }) => id);
  const had = new Set<string>();
  const changes = Math.round((setting.changesPerSecond * forMs) / 1_000);
  for (let change = 0; change < changes; change += 1) {
    const share = random.fraction();
    await time.sleep((share * forMs) / changes);
    if (random.chance(NEW_GROUPS)) groups.push(service.store.create().groupId);
    else changeSome(world, groups, { random, had });
    await time.sleep(((1 - share) * forMs) / changes);
  }
}

const TRIES = 200;

interface Choice {
  readonly random: Random;
  /** The statuses that each entity has had. */
  readonly had: Set<string>;
}

/** Gives some entity a status that it did not have before. */
function changeSome(world: BenchWorld, groups: readonly number[], choice: Choice): void {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (changeOne(world, choice.random.pick(groups), choice)) return;
  }
  throw new Error(
    'Too few groups for so many changes: every entity has had every status. Use more --groups.',
  );
}

/** @returns false if the chosen entity has had every status */
function changeOne({ service: { store } }: BenchWorld, id: number, { random, had }: Choice): boolean {
  const group = store.group(id);
  if (group === undefined) return false;
  const [kind, index] = random.pick(entitiesOf(group));
  const entity = group[kind][index];
  if (entity === undefined) return false;
  const name = (status: string) => `${kind} ${entity.id} ${status}`;
  had.add(name(entity.status));
  const others = STATUSES[kind].filter((status) => !had.has(name(status)));
  if (others.length === 0) return false;
  const status = random.pick(others);
  store.alter(id, (draft) => {
    const changed = draft[kind][index];
    if (changed !== undefined) changed.status = status;
  });
  had.add(name(status));
  return true;
}

/** Each group has at least one returned line item. */
function entitiesOf(group: StoredGroup): (readonly [Kind, number])[] {
  const kinds: readonly Kind[] = ['shipments', 'returns', 'exchange_line_items'];
  return kinds.flatMap((kind) => group[kind].map((_, index) => [kind, index] as const));
}
