// A held change in words, so that an operator can judge whether it is right. The source's state keeps a few of them.
import type { EntityEvent } from '../contract/event.ts';
import type { ComparedReading } from './compared-reading.ts';
import type { HoldSample } from './hold.ts';

const LONGEST_VALUE = 60;

/** The first change of a compared group; none if it has no event. */
export function sampleChange({ snapshot, compared }: ComparedReading): HoldSample[] {
  const [event] = 'save' in compared ? compared.save.events : [];
  return snapshot === undefined || event === undefined
    ? []
    : [sampleEvent(snapshot.groupId, event as EntityEvent)];
}

export function sampleMissing(groupId: number): HoldSample {
  return { groupId, what: 'return group', before: 'known', after: 'missing' };
}

export function sampleFirstSight(groupId: number): HoldSample {
  return { groupId, what: 'return group', before: '–', after: 'created' };
}

function sampleEvent(groupId: number, { type, data }: EntityEvent): HoldSample {
  const verb = type.split('.')[1] ?? '';
  const object: Readonly<Record<string, unknown>> = { ...data.object };
  const name = nameOf(data.object);
  const before = 'previous_attributes' in data ? Object.entries(data.previous_attributes)[0] : undefined;
  if (before === undefined)
    return { groupId, what: name, before: verb === 'created' ? '–' : 'known', after: verb };
  const [field, value] = before;
  return { groupId, what: `${name} ${field}`, before: inWords(value), after: inWords(object[field]) };
}

/** The kind and id of an entity, or of a refund that has an id; the kind of the group itself and of other refunds. */
function nameOf(object: EntityEvent['data']['object']): string {
  if (object.type === 'return_group') return object.type;
  const id = object.type === 'refund_transaction' ? object.platform_id : object.id;
  return id ? `${object.type}/${id}` : object.type;
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}
