import { describe, expect, it } from 'vitest';
import { DATA_VERSIONS, formatDataSchema, parseDataSchema } from '../../../shared/contract/data-schema.ts';
import { kindOf, MESSAGE_TYPES } from './published-schemas.ts';

describe('the name of an event’s schema', () => {
  it('has the kind and the version, of this release and of any other', () => {
    const ours = parseDataSchema(formatDataSchema('shipment'));
    const later = parseDataSchema('urn:returns-change-feed:parcel_locker:12');

    expect(ours).toEqual({ kind: 'shipment', version: 1 });
    expect(later).toEqual({ kind: 'parcel_locker', version: 12 });
  });

  it.each([
    '',
    'urn:returns-change-feed:shipment',
    'urn:returns-change-feed:shipment:0',
    'urn:other:shipment:1',
  ])('is not "%s"', (text) => {
    expect(parseDataSchema(text)).toBeUndefined();
  });

  it('exists for every kind of event, and for no other', () => {
    expect(new Set(Object.keys(DATA_VERSIONS))).toEqual(new Set(MESSAGE_TYPES.map(kindOf)));
  });
});
