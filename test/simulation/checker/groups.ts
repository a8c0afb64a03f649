// Events by group and entity, in the order of their numbers.
import type { EntityEvent } from '../../../shared/contract/event.ts';
import type { SourceEvidence } from './evidence.ts';
import { type EntityName, isEntityEvent, isGone, type Telling, tellingOf } from './states.ts';

export interface ToldGroup {
  readonly groupId: number;
  readonly generation: string;
  /** The group's events in the order of their numbers, without repeats. */
  readonly tellings: readonly Telling[];
  readonly entities: ReadonlyMap<EntityName, readonly Telling[]>;
}

/** The published events of each group, from arrivals in any order and with any repetitions. */
export function toldGroups({ written, forgotten }: SourceEvidence): Map<number, ToldGroup> {
  const byGroup = new Map<number, Map<number, EntityEvent>>();
  for (const { event } of written) {
    if (!isEntityEvent(event)) continue;
    const groupId = event.data.return_group.id;
    const events = byGroup.get(groupId) ?? new Map<number, EntityEvent>();
    byGroup.set(groupId, events);
    if (!events.has(event.data.sequence)) events.set(event.data.sequence, event);
  }
  const forgottenAt = (groupId: number) =>
    forgotten.filter((each) => each.groupId === groupId).map(({ through }) => through);
  return new Map(
    [...byGroup].map(([groupId, events]) => [
      groupId,
      toldGroup(groupId, [...events.values()], forgottenAt(groupId)),
    ]),
  );
}

/** @param forgottenAt the numbers up to which the group's events were forgotten */
function toldGroup(groupId: number, events: EntityEvent[], forgottenAt: readonly number[]): ToldGroup {
  const tellings = events.sort((a, b) => a.data.sequence - b.data.sequence).map(tellingOf);
  const entities = new Map<EntityName, Telling[]>();
  const due = [...forgottenAt].sort((a, b) => a - b);
  for (const telling of tellings) {
    if (removeBelow(due, telling.event.data.sequence)) takeAlong(telling, 'forgotten', entities);
    const list = entities.get(telling.name) ?? [];
    entities.set(telling.name, list);
    list.push(telling);
    if (telling.kind === 'return_group' && telling.verb === 'removed')
      takeAlong(telling, 'removed', entities);
  }
  const [last] = tellings.slice(-1);
  if (last !== undefined && due.length > 0) takeAlong(last, 'forgotten', entities);
  return { groupId, generation: events[0]?.data.generation ?? '', tellings, entities };
}

/** Removes the numbers below `below` from `due`; returns whether there were any. */
function removeBelow(due: number[], below: number): boolean {
  const lower = due.filter((number) => number < below);
  return due.splice(0, lower.length).length > 0;
}

/** Removing or forgetting a group ends its entities as well, without an event for each. */
function takeAlong(
  { event }: Telling,
  verb: 'removed' | 'forgotten',
  entities: ReadonlyMap<EntityName, Telling[]>,
): void {
  for (const [name, list] of entities) {
    const last = list.at(-1);
    if (last === undefined || isGone(last) || last.kind === 'refund_transaction') continue;
    list.push({ ...last, event, verb, name });
  }
}
