// A few of the changes of a hold, so that an operator can judge whether they are right: each group's stored state, and
// the state that the service now shows. The source's state keeps them, so they are few and short.
import { entitiesOf, GROUP_ARRAYS, type GroupProjection } from '../comparing/snapshot.ts';
import type { EntityEvent } from '../contract/event.ts';
import { MAX_HOLD_SAMPLES, MAX_SAMPLE_VALUE } from '../limits.ts';
import type { HoldSample } from './guarding-state.ts';
import type { ComparedReading } from './reading-guard.ts';

/** The first change of each group. */
export function sampleChanges(changes: readonly ComparedReading[]): HoldSample[] {
  return changes.flatMap(({ snapshot, compared }) => {
    const [event] = compared.verdict === 'differs' ? compared.saves.flatMap(({ events }) => events) : [];
    return snapshot === undefined || event === undefined
      ? []
      : [{ ...sampleEvent(snapshot.groupId, event as EntityEvent), updatedAt: snapshot.updatedAt }];
  });
}

/**
 * The value that a group shows where a sample says what changed, in the words of the sample; undefined if it does not
 * show that, because the answer left out the array.
 *
 * @param what for instance `shipment/77120 status`
 */
export function valueInWords(projection: GroupProjection, what: string): string | undefined {
  const [name = '', field] = what.split(' ');
  if (field !== undefined && name === projection.group.type)
    return inWords({ ...projection.group }[field as never]);
  const array = GROUP_ARRAYS.find((array) => array.slice(0, -1) === name.split('/')[0]);
  if (array === undefined || projection[array] === undefined || !name.includes('/')) return undefined;
  const refunds = (projection.refund_transactions ?? []).map((refund) => ({ key: nameOf(refund), refund }));
  const entities = entitiesOf(projection).map((entity) => ({ key: nameOf(entity), entity }));
  const found = [...entities, ...refunds].find(({ key }) => key === name);
  if (found === undefined) return 'missing';
  return field === undefined || !('entity' in found)
    ? 'created'
    : inWords({ ...found.entity }[field as never]);
}

/** The field that a sample is about, without the entity's id. */
export function kindOf(what: string): string {
  return what.replace(/\/\S+/, '');
}

export function sampleMissingGroups(groups: readonly number[]): HoldSample[] {
  return groups.slice(0, MAX_HOLD_SAMPLES).map((groupId) => {
    return { groupId, what: 'return group', before: 'known', after: 'missing' };
  });
}

/** A missing entity of a group; none if nothing is missing. */
export function sampleMissingEntity({ snapshot, compared }: ComparedReading): HoldSample[] {
  if (snapshot === undefined) return [];
  const saves = compared.verdict === 'differs' ? compared.saves : [];
  // An entity that is missing for the second time would be published as removed.
  const removed = saves.flatMap(({ events }) => events).find(({ type }) => type.endsWith('.removed'));
  if (removed !== undefined) return [sampleEvent(snapshot.groupId, removed as EntityEvent)];
  const [what] = Object.keys(saves.at(-1)?.snapshot.absences ?? snapshot.absences);
  return what === undefined ? [] : [{ groupId: snapshot.groupId, what, before: 'known', after: 'missing' }];
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
  return text.length <= MAX_SAMPLE_VALUE ? text : `${text.slice(0, MAX_SAMPLE_VALUE - 1)}…`;
}
