// The options that select events by type and by return group, for the commands that print or send events.
import { type Command, InvalidArgumentError } from 'commander';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { CHANGE_TYPES, type ChangeType } from '../../shared/contract/event-filter.ts';
import { parseGroupId } from './durations.ts';
import { didYouMean } from './suggest.ts';

export interface FilterFlags {
  /** The types that pass, without wildcards; undefined for all. */
  readonly type?: readonly ChangeType[];
  /** The ids of the return groups that pass; undefined for all. */
  readonly group?: readonly number[];
}

/** Adds `--type` and `--group`. @param verb what the command does to the events that pass */
export function addFilterOptions(command: Command, verb: string): Command {
  return command
    .option(
      '--type <types>',
      `${verb} only events of these types, separated by commas; * stands for any text, as in "shipment.*"; repeatable`,
      collectTypes,
    )
    .option(
      '--group <ids>',
      `${verb} only events of these return groups, separated by commas; repeatable`,
      collectGroups,
    );
}

/** Returns whether an event has one of the types, and is of one of the groups. */
export function selects({ type: types, group: groups }: FilterFlags, { type, data }: FeedEvent): boolean {
  const ofType = types === undefined || (types as readonly string[]).includes(type);
  if (groups === undefined) return ofType;
  return ofType && 'return_group' in data && groups.includes(data.return_group.id);
}

/** For instance `shipment.created of return group 1299`; undefined if all events pass. */
export function selectionInWords({ type, group }: FilterFlags): string | undefined {
  const parts = [
    ...(type === undefined ? [] : [type.join(', ')]),
    ...(group === undefined ? [] : [`return group${group.length === 1 ? '' : 's'} ${group.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' of ');
}

function collectTypes(text: string, others: readonly ChangeType[] = []): readonly ChangeType[] {
  return unique([...others, ...listed(text).flatMap(typesMeantBy)]);
}

function typesMeantBy(pattern: string): readonly ChangeType[] {
  // Everything but the wildcard stands for itself.
  const literals = pattern.split('*').map((literal) => literal.replaceAll(/[^\w]/g, '\\$&'));
  const expression = new RegExp(`^${literals.join('.*')}$`);
  const types = CHANGE_TYPES.filter((type) => expression.test(type));
  if (types.length > 0) return types;
  const kinds = [...new Set(CHANGE_TYPES.map((type) => `${type.split('.')[0]}.*`))];
  throw new InvalidArgumentError(
    `No type of event is "${pattern}".${didYouMean(pattern, [...CHANGE_TYPES, ...kinds])} ` +
      "docs/events/catalogue.md lists the types; the feed's own (feed.*) can't be selected.",
  );
}

function collectGroups(text: string, others: readonly number[] = []): readonly number[] {
  return unique([...others, ...listed(text).map(parseGroupId)]);
}

function listed(text: string): readonly string[] {
  return text.split(',').map((part) => part.trim());
}

function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}
