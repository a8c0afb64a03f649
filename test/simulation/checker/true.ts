// G5: every state told existed at its entity, in the order of the store's history, and each event tells a change.
import type { SourceEvidence, Violation } from './evidence.ts';
import type { ToldGroup } from './groups.ts';
import {
  type EntityHistory,
  type GroupHistory,
  hasHeader,
  headerOf,
  isState,
  type Kind,
  type State,
  stateOf,
  type Telling,
} from './states.ts';

export function checkTrue(
  source: SourceEvidence,
  told: ReadonlyMap<number, ToldGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  const violations: Violation[] = [];
  for (const { groupId, entities, tellings } of told.values()) {
    const history = histories.get(groupId);
    const violate = (place: string, message: string) =>
      violations.push({
        guarantee: 'G5',
        source: source.source,
        place: `${place} of group ${groupId}`,
        message,
      });
    if (history === undefined) {
      violate('all', 'there never was such a group');
      continue;
    }
    for (const { event } of tellings) {
      if (!hasHeader(history, event.data.return_group))
        violate(`number ${event.data.sequence}`, `its group never was ${headerOf(event.data.return_group)}`);
    }
    for (const [name, events] of entities) {
      if (events[0]?.kind === 'refund_transaction') continue;
      const problem = followHistory(history.entities.get(name) ?? [], events);
      if (problem !== undefined) violate(name, problem);
    }
  }
  return violations;
}

/** Goes through the history along with the events; each is met as early as can be, which is best for the next. */
function followHistory(history: EntityHistory, events: readonly Telling[]): string | undefined {
  let place = -1;
  for (const [index, telling] of events.entries()) {
    // Of what was forgotten nobody knows any more how far its history was told.
    if (telling.verb === 'forgotten') {
      place = -1;
      continue;
    }
    const first = index === 0 ? beforeFirst(telling) : undefined;
    if (first !== undefined) {
      place = findFrom(history, 0, first);
      if (place === -1)
        return `number ${telling.event.data.sequence} says it was ${first}, which it never was`;
    }
    const state = telling.verb === 'removed' ? undefined : telling.state;
    const next = findFrom(history, place + 1, state);
    if (next === -1) {
      const before = place === -1 ? '' : ` after ${history[place]?.state ?? 'it was gone'}`;
      return `number ${telling.event.data.sequence} (${telling.verb}) says ${state ?? 'gone'}${before}, which never was`;
    }
    place = next;
  }
  return undefined;
}

/** What a first event that tells a change says was there before. */
function beforeFirst({ event, kind, verb }: Telling): State | undefined {
  if (verb === 'removed')
    return stateOf(kind as Kind, event.data.object as unknown as Record<string, unknown>);
  if (!('previous_attributes' in event.data)) return undefined;
  return stateOf(kind as Kind, { ...event.data.object, ...event.data.previous_attributes });
}

function findFrom(history: EntityHistory, from: number, state: State | undefined): number {
  for (let place = from; place < history.length; place += 1) {
    if (isState(state, history[place]?.state)) return place;
  }
  return -1;
}
