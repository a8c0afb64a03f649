// Events by group and entity, in the order of their numbers.
import type { EntityEvent } from '../../../shared/contract/event.ts';
import type { Arrival } from './evidence.ts';
import { type EntityName, isEntityEvent, type Telling, tellingOf } from './states.ts';

export interface ToldGroup {
  readonly groupId: number;
  readonly generation: string;
  /** By number, each once. */
  readonly tellings: readonly Telling[];
  readonly entities: ReadonlyMap<EntityName, readonly Telling[]>;
}

/** What was told of each group, out of arrivals in any order and any number of times. */
export function toldGroups(arrivals: readonly Arrival[]): Map<number, ToldGroup> {
  const byGroup = new Map<number, Map<number, EntityEvent>>();
  for (const { event } of arrivals) {
    if (!isEntityEvent(event)) continue;
    const groupId = event.data.return_group.id;
    const events = byGroup.get(groupId) ?? new Map<number, EntityEvent>();
    byGroup.set(groupId, events);
    if (!events.has(event.data.sequence)) events.set(event.data.sequence, event);
  }
  return new Map(
    [...byGroup].map(([groupId, events]) => [groupId, toldGroup(groupId, [...events.values()])]),
  );
}

function toldGroup(groupId: number, events: EntityEvent[]): ToldGroup {
  const tellings = events.sort((a, b) => a.data.sequence - b.data.sequence).map(tellingOf);
  const entities = new Map<EntityName, Telling[]>();
  for (const telling of tellings) {
    const list = entities.get(telling.name) ?? [];
    entities.set(telling.name, list);
    list.push(telling);
    if (telling.kind === 'return_group' && telling.verb === 'removed') takeAlong(telling, entities);
  }
  return { groupId, generation: events[0]?.data.generation ?? '', tellings, entities };
}

/** A removed group takes its entities along without a word for each. */
function takeAlong(removal: Telling, entities: ReadonlyMap<EntityName, Telling[]>): void {
  for (const [name, list] of entities) {
    const last = list.at(-1);
    if (last === undefined || last.verb === 'removed' || last.kind === 'refund_transaction') continue;
    list.push({ ...last, event: removal.event, verb: 'removed', name });
  }
}
