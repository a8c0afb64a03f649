// One complete event of each type, byte for byte. A changed file is a change of the contract: check that it is
// intended, then rewrite the files (`npx vitest run golden -u`).
import { describe, expect, it } from 'vitest';
import type { EntityEvent, EventOf, EventType } from '../../../shared/contract/event.ts';
import { EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { aRow, read, take } from './a-reading.ts';
import { storyEvents } from './a-story.ts';

const TYPES = (Object.keys(EVENT_SCHEMAS) as EventType[]).filter((type) => !/^feed|forgotten/.test(type));

/** The shape in the design; its texts do not matter. */
const DESIGN_EXAMPLE = {
  specversion: '1.0',
  id: 'acme_mi8x2k_184467_42',
  source: '/sources/acme',
  type: 'shipment.status_changed',
  subject: 'return-groups/184467/shipments/77120',
  time: '2026-11-20T10:15:02.123456Z',
  datacontenttype: 'application/json',
  dataschema: 'urn:returns-change-feed:shipment:1',
  sequence: '0000000042',
  partitionkey: 'acme/184467',
  data: {
    generation: 'mi8x2k',
    sequence: 42,
    return_group: {
      id: 184_467,
      created_at: '',
      updated_at: '',
      return_outcome: '',
      return_method: 'TRADITIONAL',
      order: { id: 9001, name: '#1042', platform_id: '' },
    },
    object: {
      type: 'shipment',
      id: 77_120,
      status: 'DELIVERED',
      carrier: 'UPS',
      tracking_number: '1Z',
      return_ids: [5512],
    },
    items: [],
    items_total: 1,
    changed: ['status'],
    previous_attributes: { status: 'IN_TRANSIT' },
    observed: { after: '2026-11-20T10:14:58Z', by: '2026-11-20T10:15:03Z', through: 'poll' },
  },
};

describe('an event', () => {
  it.each(TYPES)('of type %s equals its golden file, byte for byte', async (type) => {
    const event = firstOf(type, storyEvents());

    const text = `${JSON.stringify(event, null, 2)}\n`;

    await expect(text).toMatchFileSnapshot(`golden/${type}.json`);
  });

  it.each(TYPES)('of type %s has exactly the fields of its schema', (type) => {
    const event = JSON.parse(JSON.stringify(firstOf(type, storyEvents())));

    const parsed = EVENT_SCHEMAS[type].parse(event);

    // Parsing leaves out fields that the schema does not have.
    expect(parsed).toStrictEqual(event);
  });

  it('has the shape of the design', () => {
    const event = firstOf('shipment.status_changed', storyEvents());

    const { object, previous_attributes: _, ...data } = event.data;
    const { object: shown, previous_attributes: __, ...shownData } = DESIGN_EXAMPLE.data;

    expect(shapeOf({ ...event, data })).toEqual(shapeOf({ ...DESIGN_EXAMPLE, data: shownData }));
    expect(Object.keys(event)).toEqual(Object.keys(DESIGN_EXAMPLE));
    expect(Object.keys(event.data)).toEqual(Object.keys(DESIGN_EXAMPLE.data));
    expect(Object.keys(object)).toEqual(expect.arrayContaining(Object.keys(shown)));
  });

  it('carries the customer only if the reading does', () => {
    const customer = { name: 'Rosalind Quimby', email: 'rosalind@quimby.test', phone: null };

    const [withCustomer] = take(undefined, read(aRow(), 0, { customer })).events;
    const [without] = take(undefined, read(aRow())).events;

    expect(withCustomer?.data.customer).toEqual(customer);
    expect(EVENT_SCHEMAS['return_group.created'].parse(withCustomer)).toStrictEqual(withCustomer);
    expect(JSON.stringify(without)).not.toMatch(/customer|quimby/i);
  });

  it('has a subject that is a valid reference for any characters in an id', () => {
    const row = aRow((row) => {
      const [item] = row.exchange_line_items;
      if (item)
        row.exchange_line_items = ['a/b?#', 'half \ud800', 'half \udfff'].map((id) => ({ ...item, id }));
    });

    const { events } = take(undefined, read(row));
    const subjects = events.map(({ subject }) => subject).filter((subject) => subject.includes('/exchange-'));

    expect(subjects).toEqual([
      'return-groups/184467/exchange-line-items/a%2Fb%3F%23',
      'return-groups/184467/exchange-line-items/half%20%25uD800',
      'return-groups/184467/exchange-line-items/half%20%25uDFFF',
    ]);
  });
});

function firstOf<Type extends EventType>(type: Type, events: readonly EntityEvent[]): EventOf<Type> {
  const event = events.find((candidate) => candidate.type === type);
  if (event === undefined) throw new Error(`The story has no ${type}.`);
  return event as EventOf<Type>;
}

/** The names of all fields, in their order, with the kinds of their values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return typeof value;
  return Object.entries(value).map(([name, field]) => [name, shapeOf(field)]);
}
