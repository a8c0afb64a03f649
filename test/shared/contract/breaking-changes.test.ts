import { describe, expect, it } from 'vitest';
import type { EventType } from '../../../shared/contract/event.ts';
import { breakingChanges } from './breaking-changes.ts';
import { type JsonSchema, publishedBundle, schemaOf } from './published-schemas.ts';

const publishedSchema = (type: EventType): JsonSchema => schemaOf(publishedBundle(), type) ?? {};
const BEFORE = publishedSchema('shipment.status_changed');

/** The schema with its shipment changed in place. */
function changed(change: (shipment: MutableSchema) => void): JsonSchema {
  const copy = structuredClone(BEFORE) as MutableSchema;
  change(copy.properties.data!.properties.object!);
  return copy;
}

interface MutableSchema {
  [keyword: string]: unknown;
  properties: Record<string, MutableSchema>;
  required: string[];
}

describe('a change of an event', () => {
  it('is not reported if nothing changed', () => {
    expect(breakingChanges(BEFORE, structuredClone(BEFORE))).toEqual([]);
  });

  it('may add an optional field at any depth, and annotate a field', () => {
    const after = changed(({ properties }) => {
      properties.weight = { type: 'number' } as never;
      properties.carrier = { ...properties.carrier!, description: 'Who brings it.', examples: ['UPS'] };
    });

    expect(breakingChanges(BEFORE, after)).toEqual([]);
  });

  it.each([
    [
      'a field is removed',
      ({ properties, required }: MutableSchema) => {
        delete properties.carrier;
        required.splice(required.indexOf('carrier'), 1);
      },
      ['data.object.carrier is gone.'],
    ],
    [
      'a field is renamed',
      ({ properties, required }: MutableSchema) => {
        properties.courier = properties.carrier!;
        delete properties.carrier;
        required[required.indexOf('carrier')] = 'courier';
      },
      [
        'data.object.carrier is gone.',
        'data.object.courier is new and not optional: earlier events do not have it.',
      ],
    ],
    [
      'a new field is not optional',
      ({ properties, required }: MutableSchema) => {
        properties.weight = { type: 'number' } as never;
        required.push('weight');
      },
      ['data.object.weight is new and not optional: earlier events do not have it.'],
    ],
    [
      'a field becomes optional',
      ({ required }: MutableSchema) => void required.splice(required.indexOf('carrier'), 1),
      ['data.object.carrier is no longer always there.'],
    ],
    [
      'a field takes fewer values',
      ({ properties }: MutableSchema) => {
        properties.carrier = { type: 'string' } as never;
      },
      ['data.object.carrier changed its type from ["string","null"] to "string".'],
    ],
    [
      'a field takes other values',
      ({ properties }: MutableSchema) => {
        properties.id = { type: 'string' } as never;
      },
      expect.arrayContaining(['data.object.id changed its type from "integer" to "string".']),
    ],
    [
      'a list holds something else',
      ({ properties }: MutableSchema) => {
        properties.return_ids!.items = { type: 'string' };
      },
      expect.arrayContaining(['data.object.return_ids[] changed its type from "integer" to "string".']),
    ],
  ])('needs a new version if %s', (_case, change, sentences) => {
    const after = changed(change);

    expect(breakingChanges(BEFORE, after)).toEqual(sentences);
  });

  it('needs a new version if one of several shapes changes', () => {
    const before = publishedSchema('return_line_item.created');
    const after = structuredClone(before) as MutableSchema;
    const total = after.properties.data!.properties.object!.properties.total!.anyOf as MutableSchema[];
    delete total[0]!.properties.shop_money;

    expect(breakingChanges(before, after)).toEqual(['data.object.total.shop_money is gone.']);
  });
});
