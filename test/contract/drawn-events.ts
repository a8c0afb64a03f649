// Filters and events for the properties of filters: each condition of a filter leaves out some of the events.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { exchangeLineItem, returnLineItem, shipment } from '../../shared/contract/entities.ts';
import { EVENT_SCHEMAS, type FeedEvent } from '../../shared/contract/event.ts';
import { type EventFilter, eventFilter, SOURCE_READ } from '../../shared/contract/event-filter.ts';
import { formatEventId } from '../../shared/contract/event-id.ts';
import type { StatusKind } from '../../shared/contract/statuses.ts';

export const SOURCES = ['acme', 'acme-2', 'globex'];
export const ALL_TYPES = Object.keys(EVENT_SCHEMAS);
export const TYPES = ALL_TYPES.filter((type) => !type.startsWith('feed.'));
const ENTITIES = [...new Set(TYPES.map((type) => type.slice(0, type.indexOf('.'))))];
/** The documented statuses of each kind of entity. */
export const STATUSES: Readonly<Record<StatusKind, readonly string[]>> = {
  return_line_item: documented(returnLineItem),
  shipment: documented(shipment),
  exchange_line_item: documented(exchangeLineItem),
};
const ALL_STATUSES = [...new Set(Object.values(STATUSES).flat())];
const FIELDS = ['status', 'carrier', 'tracking_number', 'quantity', 'return_outcome'];
const UNDOCUMENTED = ['TELEPORTED', 'delivered', '', null, 7];
const EXAMPLES = new Map(ALL_TYPES.map((type) => [type, readExample(type)]));

/** Some of the values, never all, so that each condition excludes some. */
export const someOf = <Value>(values: readonly Value[]) =>
  fc.subarray([...values], { minLength: 1, maxLength: values.length - 1 });

const CONDITIONS = {
  sources: someOf(SOURCES),
  entities: someOf(ENTITIES),
  types: someOf([...TYPES, SOURCE_READ]),
  to: someOf(ALL_STATUSES),
  from: someOf(ALL_STATUSES),
  changed: someOf(FIELDS),
};

/** Any filter that the contract allows, with any of the conditions or none. */
export const filters = fc
  .subarray(Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[])
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, CONDITIONS[name]]))))
  .filter((filter) => eventFilter.safeParse(filter).success)
  .map((filter) => filter as EventFilter);

const status = fc.constantFrom(...ALL_STATUSES, ...UNDOCUMENTED);

export const traits = fc.record({
  source: fc.constantFrom(...SOURCES),
  ...{ status, before: status },
  changed: fc.subarray([...FIELDS, 'weight', '']),
});

export interface Drawn {
  readonly type: string;
  readonly source: string;
  readonly status: unknown;
  /** The previous status, for types with previous attributes. */
  readonly before: unknown;
  /** Names of fields, for types with previous attributes. */
  readonly changed: readonly string[];
}

/** Returns the example of a type as an event of its own group. */
export function anEvent({ type, source, status, before, changed }: Drawn, index: number): FeedEvent {
  const example = EXAMPLES.get(type) as FeedEvent;
  const { data } = example;
  const group = index + 1;
  const object = 'status' in data.object ? { ...data.object, status } : data.object;
  const previous = 'previous_attributes' in data && 'status' in data.object && { status: before };
  return {
    ...example,
    id: formatEventId({ source, generation: data.generation, group, sequence: 1 }),
    source: `/sources/${source}`,
    partitionkey: `${source}/${group}`,
    data: {
      ...{ ...data, object },
      ...('changed' in data && {
        changed,
        previous_attributes: { ...data.previous_attributes, ...previous },
      }),
    },
  } as FeedEvent;
}

function readExample(type: string): FeedEvent {
  return JSON.parse(
    readFileSync(new URL(`../../docs/events/examples/${type}.json`, import.meta.url), 'utf8'),
  );
}

function documented({ shape }: typeof returnLineItem | typeof shipment | typeof exchangeLineItem): string[] {
  return shape.status.meta()?.examples as string[];
}
