// G5: every published state existed at its entity, in the order of the store's history, and each event is a change. A
// strange service may show states in another order.
import type { SourceEvidence, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import {
  type EntityHistory,
  type GroupHistory,
  headerOf,
  type Kind,
  type PublishedChange,
  type State,
  stateOf,
} from './states.ts';

export function checkTrue(
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
  isInOrder: boolean,
): Violation[] {
  const violations: Violation[] = [];
  for (const { groupId, entities, changes } of published.values()) {
    const history = histories.get(groupId);
    const violate = (place: string, message: string) =>
      violations.push({
        guarantee: 'G5',
        source: source.source,
        place: `${place} of group ${groupId}`,
        message,
      });
    if (history === undefined) {
      violate('all', 'the group never existed');
      continue;
    }
    for (const { event } of changes) {
      if (!history.headers.has(headerOf(event.data.return_group)))
        violate(`number ${event.data.sequence}`, `its group never was ${headerOf(event.data.return_group)}`);
    }
    for (const [name, events] of entities) {
      if (events[0]?.kind === 'refund_transaction') continue;
      const problem = followHistory(history.entities.get(name) ?? [], events, isInOrder);
      if (problem !== undefined) violate(name, problem);
    }
  }
  return violations;
}

/** Follows the history along with the events. Each event matches the earliest possible state: best for the next. */
function followHistory(
  history: EntityHistory,
  events: readonly PublishedChange[],
  isInOrder: boolean,
): string | undefined {
  let place = -1;
  for (const [index, change] of events.entries()) {
    // After forgetting, the feed has no record of how far the history was published.
    if (change.verb === 'forgotten') {
      place = -1;
      continue;
    }
    const first = index === 0 ? beforeFirst(change) : undefined;
    if (first !== undefined) {
      place = findFrom(history, 0, first);
      if (place === -1)
        return `number ${change.event.data.sequence} says it was ${first}, which it never was`;
    }
    const state = change.verb === 'removed' ? undefined : change.state;
    const next = findFrom(history, isInOrder ? place + 1 : 0, state);
    // Before its first state an entity was not there.
    if (next === -1 && state === undefined && !isInOrder) continue;
    if (next === -1) {
      const before = place === -1 ? '' : ` after ${history[place]?.state ?? 'it was gone'}`;
      return `number ${change.event.data.sequence} (${change.verb}) says ${state ?? 'gone'}${before}, which never was`;
    }
    place = next;
  }
  return undefined;
}

/** The previous state according to a first event that is a change. */
export function beforeFirst({ event, kind, verb }: PublishedChange): State | undefined {
  if (verb === 'removed')
    return stateOf(kind as Kind, event.data.object as unknown as Record<string, unknown>);
  if (!('previous_attributes' in event.data)) return undefined;
  return stateOf(kind as Kind, { ...event.data.object, ...event.data.previous_attributes });
}

function findFrom(history: EntityHistory, from: number, state: State | undefined): number {
  for (let place = from; place < history.length; place += 1) {
    if (state === history[place]?.state) return place;
  }
  return -1;
}
