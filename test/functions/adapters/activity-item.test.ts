import { describe, expect, test } from 'vitest';
import { itemBytes } from '../../../functions/adapters/attribute-values.ts';
import { fromActivityItem, toActivityItem } from '../../../functions/adapters/dynamodb-activities.ts';
import { encodeBody } from '../../../functions/adapters/stored-body.ts';
import { anActivity } from '../../contract/sample-activities.ts';

describe('the stored activity', () => {
  test('of an hour of a busy source is whole, in two write units', () => {
    const activity = anActivity(60, 50);

    const item = toActivityItem('acme', activity);

    expect(itemBytes(item)).toBeLessThanOrEqual(2_048);
    expect(fromActivityItem(item)).toEqual(activity);
  });

  test('with absurdly large numbers keeps the newest part, in two write units', () => {
    const activity = anActivity(60, 50, 1_000_000);

    const item = toActivityItem('acme', activity);
    const stored = fromActivityItem(item);

    expect(itemBytes(item)).toBeLessThanOrEqual(2_048);
    expect(stored?.minutes.length).toBeGreaterThan(30);
    expect(stored?.minutes.length).toBeLessThan(60);
    expect(stored?.minutes).toEqual(activity.minutes.slice(0, stored?.minutes.length));
    expect(stored?.recent).toEqual(activity.recent.slice(0, stored?.recent.length));
  });

  test.each([
    ['of another format', { v: { N: '2' } }],
    ['with a damaged body', { b: { B: new Uint8Array([1, 2, 3]) } }],
    ['with another body', { b: { B: encodeBody({ minutes: 7 }) } }],
    ['without a body', { b: { S: 'text' } }],
  ])('%s counts as none', (_, change) => {
    const item = { ...toActivityItem('acme', anActivity(2, 2)), ...change };

    expect(fromActivityItem(item)).toBeUndefined();
  });
});
