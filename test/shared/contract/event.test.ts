import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { EVENT_SCHEMAS, type EventType, feedEvent } from '../../../shared/contract/event.ts';
import { openValue } from '../../../shared/contract/open-value.ts';
import { WATCHED_FIELDS, type WatchedKind } from '../../../shared/contract/watched-fields.ts';
import { storyEvents } from '../comparing/a-story.ts';

const TYPES = Object.keys(EVENT_SCHEMAS) as EventType[];
const events = storyEvents();

/** The names of the fields of an object within an event, by the JSON Schema of its type. */
function fieldsOf(type: EventType, ...path: string[]): string[] {
  let node: z.core.JSONSchema.BaseSchema = z.toJSONSchema(EVENT_SCHEMAS[type]);
  for (const name of path) {
    const next = node.properties?.[name];
    if (typeof next !== 'object') return [];
    node = next;
  }
  return Object.keys(node.properties ?? {});
}

describe('the schemas of events', () => {
  it('are the 17 of return groups and the 6 of the feed, each under its type', () => {
    const verbs = TYPES.map((type) => type.split('.'));

    expect(TYPES).toHaveLength(23);
    expect(new Set(verbs.map(([kind]) => kind))).toEqual(
      new Set([
        'return_line_item',
        'shipment',
        'exchange_line_item',
        'refund_transaction',
        'return_group',
        'feed',
      ]),
    );
    for (const type of TYPES) expect(EVENT_SCHEMAS[type].shape.type.value).toBe(type);
  });

  it.each(TYPES.filter((type) => /_changed|updated/.test(type)))(
    'allow exactly the watched fields in the previous_attributes of %s',
    (type) => {
      const kind = type.split('.')[0] as WatchedKind;

      expect(fieldsOf(type, 'data', 'previous_attributes').sort()).toEqual([...WATCHED_FIELDS[kind]].sort());
    },
  );

  it.each(TYPES.filter((type) => /created|removed/.test(type)))(
    'have no previous_attributes of %s',
    (type) => {
      expect(fieldsOf(type, 'data')).not.toContain('previous_attributes');
    },
  );

  it.each(TYPES.filter((type) => /_changed|updated/.test(type)))('name what changed in %s', (type) => {
    const kind = type.split('.')[0] as WatchedKind;
    const schema = JSON.stringify(z.toJSONSchema(EVENT_SCHEMAS[type]).properties?.data);

    expect(schema).toContain(`"items":{"type":"string","examples":${JSON.stringify(WATCHED_FIELDS[kind])}}`);
  });

  it('leave nothing of a forgotten return but its id', () => {
    expect(fieldsOf('return_group.forgotten', 'data', 'return_group')).toEqual(['id']);
    expect(fieldsOf('return_group.forgotten', 'data', 'object')).toEqual(['type', 'id']);
  });

  it.each(TYPES.filter((type) => !/^feed|forgotten/.test(type)))('place %s in its group', (type) => {
    expect(fieldsOf(type, 'data')).toEqual(
      expect.arrayContaining(['generation', 'sequence', 'return_group', 'object', 'observed']),
    );
    expect(fieldsOf(type, 'data', 'return_group').sort()).toEqual(
      ['created_at', 'id', 'order', 'return_method', 'return_outcome', 'updated_at'].sort(),
    );
  });
});

describe('a parsed event', () => {
  it('is narrowed by its type', () => {
    for (const event of events) expect(feedEvent.parse(event)).toStrictEqual(event);
  });

  it('lacks fields of later releases', () => {
    const [event] = events;
    const later = { ...event, traceparent: '00-1', data: { ...event?.data, mood: 'good' } };

    expect(feedEvent.parse(later)).toStrictEqual(event);
  });

  it('may name its replay', () => {
    const [event] = events;

    expect(feedEvent.parse({ ...event, replayid: 'r1' })).toStrictEqual({ ...event, replayid: 'r1' });
  });

  it.each([
    ['type', 'shipment.exploded'],
    ['specversion', '0.3'],
    ['id', 'x'.repeat(81)],
    ['data', {}],
    ['sequence', 1],
  ])('is rejected with the %s %j', (field, value) => {
    expect(feedEvent.safeParse({ ...events[0], [field]: value }).success).toBe(false);
  });

  it('is rejected with an object of another kind', () => {
    const shipment = events.find(({ type }) => type === 'shipment.created');
    const item = events.find(({ type }) => type === 'return_line_item.created');
    const mixed = { ...shipment, data: { ...shipment?.data, object: item?.data.object } };

    expect(feedEvent.safeParse(mixed).success).toBe(false);
  });
});

describe('a listed value', () => {
  it('is open: unlisted values are accepted too', () => {
    const status = openValue('OPEN', 'COMPLETED');

    expect(status.parse('COMPLETED')).toBe('COMPLETED');
    expect(status.parse('SHREDDED')).toBe('SHREDDED');
    expect(status.safeParse(7).success).toBe(false);
  });

  it('is named in the JSON Schema as an example', () => {
    expect(z.toJSONSchema(openValue('OPEN', 'COMPLETED'))).toMatchObject({
      type: 'string',
      examples: ['OPEN', 'COMPLETED'],
    });
  });
});
