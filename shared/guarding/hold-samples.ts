// A few of the changes of a hold, so that an operator can judge whether they are right: each group's stored state, and
// the state that the service now shows. The source's state keeps them, so they are few and short.

import { digestOf } from '../comparing/digest.ts';
import { compareRefunds } from '../comparing/refunds.ts';
import { entitiesOf, GROUP_ARRAYS, type GroupProjection, type Snapshot } from '../comparing/snapshot.ts';
import type { EntityEvent } from '../contract/event.ts';
import { MAX_SAMPLE_VALUE } from '../limits.ts';
import type { HeldValue, HoldSample } from './guarding-state.ts';
import type { ComparedReading } from './reading-guard.ts';

/** The first change of each group. */
export function sampleChanges(changes: readonly ComparedReading[]): HoldSample[] {
  return changes.flatMap(({ snapshot, compared }) => {
    const [event] = compared.verdict === 'differs' ? compared.saves.flatMap(({ events }) => events) : [];
    return snapshot === undefined || event === undefined ? [] : [sampleHeld(snapshot, event as EntityEvent)];
  });
}

function sampleHeld({ groupId, updatedAt }: Snapshot, event: EntityEvent): HoldSample {
  const { data } = event;
  const field = 'previous_attributes' in data ? Object.keys(data.previous_attributes)[0] : undefined;
  const value = field === undefined ? CREATED : textOf({ ...data.object }[field as never]);
  const entity = nameOf(data.object);
  return { ...sampleEvent(groupId, event), value: { entity, field, held: digestOf(value), updatedAt } };
}

const CREATED = 'created';
const MISSING = 'missing';

/**
 * The whole value that a group shows where a held change lies: `created` if the held change is a whole entity that is
 * shown, `missing` if the entity is not shown, undefined if the answer left out the array. A refund
 * without an id has no place of its own: it counts as shown while any unknown refund is shown.
 */
export function valueShown(
  projection: GroupProjection,
  { entity, field }: Pick<HeldValue, 'entity' | 'field'>,
  known: Refunds = projection,
): string | undefined {
  if (field !== undefined && entity === projection.group.type)
    return textOf({ ...projection.group }[field as never]);
  const array = GROUP_ARRAYS.find((array) => array.slice(0, -1) === typeOf(entity));
  if (array === undefined || projection[array] === undefined) return undefined;
  if (!entity.includes('/')) return hasUnknownRefund(projection, known) ? CREATED : MISSING;
  const refunds = (projection.refund_transactions ?? []).map((refund) => ({ key: nameOf(refund), refund }));
  const entities = entitiesOf(projection).map((entity) => ({ key: nameOf(entity), entity }));
  const found = [...entities, ...refunds].find(({ key }) => key === entity);
  if (found === undefined) return MISSING;
  return field === undefined || !('entity' in found) ? CREATED : textOf({ ...found.entity }[field as never]);
}

type Refunds = Pick<GroupProjection, 'refund_transactions'>;

function hasUnknownRefund(shown: Refunds, known: Refunds): boolean {
  return compareRefunds(known.refund_transactions ?? [], shown.refund_transactions ?? []).created.length > 0;
}

/** The field that a held change is in, without the entity's id. */
export function kindOf({ entity, field }: Pick<HeldValue, 'entity' | 'field'>): string {
  return `${typeOf(entity)} ${field ?? ''}`;
}

function typeOf(entity: string): string {
  return entity.slice(0, entity.includes('/') ? entity.indexOf('/') : undefined);
}

export function sampleMissingGroups(groups: readonly number[]): HoldSample[] {
  return groups.map((groupId) => {
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

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function inWords(value: unknown): string {
  const text = textOf(value);
  return text.length <= MAX_SAMPLE_VALUE ? text : `${text.slice(0, MAX_SAMPLE_VALUE - 1)}…`;
}
