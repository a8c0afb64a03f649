import { expect, test } from 'vitest';
import { compileEventPattern, type EventPattern } from './event-pattern.ts';

const event = {
  source: 'returns-change-feed.acme',
  'detail-type': 'shipment.status_changed',
  detail: {
    object: { status: 'DELIVERED', carrier: null, weight: 12.5, labels: ['fragile', 'blue'] },
    previous_attributes: { status: 'IN_TRANSIT' },
    lines: [
      { sku: 'A', quantity: 1 },
      { sku: 'B', quantity: 2 },
    ],
    none: [],
  },
};

const matches = (pattern: EventPattern) => compileEventPattern(pattern)(event);
const object = (pattern: unknown) => matches({ detail: { object: pattern } });

test.each([
  ['an exact value', { source: ['returns-change-feed.acme'] }, true],
  ['one of several', { source: ['other', 'returns-change-feed.acme'] }, true],
  ['another value', { source: ['returns-change-feed'] }, false],
  [
    'two fields, both right',
    { source: ['returns-change-feed.acme'], detail: { object: { status: ['DELIVERED'] } } },
    true,
  ],
  ['two fields, one wrong', { source: ['other'], detail: { object: { status: ['DELIVERED'] } } }, false],
  ['a missing field', { account: ['000000000000'] }, false],
  ['no field below an empty array', { detail: { none: { name: [{ exists: false }] } } }, true],
  ['a field below a missing one', { detail: { customer: { name: ['x'] } } }, false],
  ['one branch of $or', { $or: [{ source: ['other'] }, { 'detail-type': [{ prefix: 'shipment.' }] }] }, true],
  ['no branch of $or', { $or: [{ source: ['other'] }, { 'detail-type': ['other'] }] }, false],
])('matches whole events: %s', (_name, pattern, expected) => {
  expect(matches(pattern)).toBe(expected);
});

test.each([
  ['null as a value', { carrier: [null] }, true],
  ['a number', { weight: [12.5] }, true],
  ['a text does not match a number', { weight: ['12.5'] }, false],
  ['an element of an array', { labels: ['blue'] }, true],
  ['no element of an array', { labels: ['red'] }, false],
  ['prefix', { status: [{ prefix: 'DEL' }] }, true],
  ['prefix of something else', { status: [{ prefix: 'IN_' }] }, false],
  ['a prefix in any case', { status: [{ prefix: { 'equals-ignore-case': 'del' } }] }, true],
  ['suffix', { status: [{ suffix: 'ERED' }] }, true],
  ['equals-ignore-case', { status: [{ 'equals-ignore-case': 'delivered' }] }, true],
  ['wildcard', { status: [{ wildcard: 'D*V*D' }] }, true],
  ['wildcard treats other characters literally', { status: [{ wildcard: 'D.*' }] }, false],
  ['anything-but another value', { status: [{ 'anything-but': 'FAILED' }] }, true],
  ['anything-but the value', { status: [{ 'anything-but': ['FAILED', 'DELIVERED'] }] }, false],
  ['anything-but a prefix', { status: [{ 'anything-but': { prefix: 'DEL' } }] }, false],
  ['anything-but one of several suffixes', { status: [{ 'anything-but': { suffix: ['x', 'RED'] } }] }, false],
  ['anything-but in a missing field', { id: [{ 'anything-but': 'x' }] }, false],
  ['anything-but, with another element that matches', { labels: [{ 'anything-but': 'blue' }] }, true],
  ['exists', { status: [{ exists: true }] }, true],
  ['exists, null', { carrier: [{ exists: true }] }, true],
  ['exists in a missing field', { id: [{ exists: true }] }, false],
  ['exists not', { id: [{ exists: false }] }, true],
  ['exists: false in an existing field', { status: [{ exists: false }] }, false],
  ['numeric', { weight: [{ numeric: ['>', 12] }] }, true],
  ['numeric range', { weight: [{ numeric: ['>', 0, '<=', 12.5] }] }, true],
  ['numeric range that ends before', { weight: [{ numeric: ['>=', 0, '<', 12.5] }] }, false],
  ['numeric of a text', { status: [{ numeric: ['=', 0] }] }, false],
])('matches values: %s', (_name, pattern, expected) => {
  expect(object(pattern)).toBe(expected);
});

test('one element of an array of objects must match all conditions', () => {
  const one = matches({ detail: { lines: { sku: ['B'], quantity: [2] } } });
  const mixed = matches({ detail: { lines: { sku: ['A'], quantity: [2] } } });

  expect([one, mixed]).toEqual([true, false]);
});

test('`exists` applies to leaf values only: an object or an empty array does not exist', () => {
  const things = ['object', 'none'].map((field) => matches({ detail: { [field]: [{ exists: true }] } }));

  expect(things).toEqual([false, false]);
});

test.each([
  ['an empty pattern', {}, /is empty/],
  ['a leaf that is not an array', { source: 'acme' }, /\/source must be an object or an array/],
  [
    'an unknown operator',
    { detail: { ip: [{ cidr: '10.0.0.0/8' }] } },
    /\/detail\/ip has the unknown operator cidr/,
  ],
  ['an operator without its operand', { source: [{ prefix: 1 }] }, /\/source must be a text/],
  ['two operators at once', { source: [{ prefix: 'a', suffix: 'b' }] }, /must name one operator/],
  ['exists with a text', { source: [{ exists: 'true' }] }, /true or false/],
  ['numeric with a word', { detail: { n: [{ numeric: ['above', 1] }] } }, /numeric is malformed/],
  ['an empty object as a matcher', { source: [{}] }, /must name one operator/],
])('rejects %s', (_name, pattern, message) => {
  expect(() => compileEventPattern(pattern)).toThrow(message);
});
