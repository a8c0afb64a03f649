// Events by group and entity, in the order of their numbers.
import type { EntityEvent } from '../../../shared/contract/event.ts';
import type { SourceEvidence } from './evidence.ts';
import {
  type EntityName,
  isEntityEvent,
  isForgottenEvent,
  isGone,
  type PublishedChange,
  publishedChangeOf,
} from './states.ts';

export interface PublishedGroup {
  readonly groupId: number;
  readonly generation: string;
  /** The group's events in the order of their numbers, without repeats. */
  readonly changes: readonly PublishedChange[];
  readonly entities: ReadonlyMap<EntityName, readonly PublishedChange[]>;
}

/** The published events of each group, from arrivals in any order and with any repetitions. */
export function publishedGroups({ written, forgotten }: SourceEvidence): Map<number, PublishedGroup> {
  const byGroup = new Map<number, Map<number, EntityEvent>>();
  for (const { event } of written) {
    if (!isEntityEvent(event)) continue;
    const groupId = event.data.return_group.id;
    const events = byGroup.get(groupId) ?? new Map<number, EntityEvent>();
    byGroup.set(groupId, events);
    if (!events.has(event.data.sequence)) events.set(event.data.sequence, event);
  }
  // A command that failed has published its report before.
  const reports = written.flatMap(({ event }) => (isForgottenEvent(event) ? [event.data] : []));
  const forgottenAt = (groupId: number) => [
    ...forgotten.filter((each) => each.groupId === groupId).map(({ through }) => through),
    ...reports.filter(({ object }) => object.id === groupId).map(({ sequence }) => sequence),
  ];
  return new Map(
    [...byGroup].map(([groupId, events]) => [
      groupId,
      publishedGroup(groupId, [...events.values()], forgottenAt(groupId)),
    ]),
  );
}

/** @param forgottenAt the numbers up to which the group's events were forgotten */
function publishedGroup(
  groupId: number,
  events: EntityEvent[],
  forgottenAt: readonly number[],
): PublishedGroup {
  const changes = events.sort((a, b) => a.data.sequence - b.data.sequence).map(publishedChangeOf);
  const entities = new Map<EntityName, PublishedChange[]>();
  const due = [...forgottenAt].sort((a, b) => a - b);
  for (const change of changes) {
    if (removeBelow(due, change.event.data.sequence)) endEntities(change, 'forgotten', entities);
    const list = entities.get(change.name) ?? [];
    entities.set(change.name, list);
    list.push(change);
    if (change.kind === 'return_group' && change.verb === 'removed') endEntities(change, 'removed', entities);
  }
  const [last] = changes.slice(-1);
  if (last !== undefined && due.length > 0) endEntities(last, 'forgotten', entities);
  return { groupId, generation: events[0]?.data.generation ?? '', changes, entities };
}

/** Removes the numbers below `below` from `due`; returns whether there were any. */
function removeBelow(due: number[], below: number): boolean {
  const lower = due.filter((number) => number < below);
  return due.splice(0, lower.length).length > 0;
}

/**
 * Removing or forgetting a group ends its entities as well, without an event for each. A removed group can still be
 * forgotten.
 */
function endEntities(
  { event }: PublishedChange,
  verb: 'removed' | 'forgotten',
  entities: ReadonlyMap<EntityName, PublishedChange[]>,
): void {
  for (const [name, list] of entities) {
    const last = list.at(-1);
    if (last === undefined || last.kind === 'refund_transaction') continue;
    if (verb === 'forgotten' ? last.verb === 'forgotten' : isGone(last)) continue;
    list.push({ ...last, event, verb, name });
  }
}
