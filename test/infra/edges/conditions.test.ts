import { expect, test } from 'vitest';
import { type Conditions, conditionsHold } from './conditions.ts';

const RULE = 'arn:aws:events:eu-west-1:111111111111:rule/bus/Delivered';

test.each<[string, Conditions]>([
  ['one of several values', { StringEquals: { 'aws:SourceAccount': ['222222222222', '111111111111'] } }],
  ['a pattern', { StringLike: { 'kms:ViaService': 'sqs.*.amazonaws.com' } }],
  ["a pattern of an ARN's parts", { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:111111111111:rule/*' } }],
  ['a key in another case', { ArnEquals: { 'AWS:SourceArn': RULE } }],
  ['a Boolean', { Bool: { 'aws:SecureTransport': true } }],
  ['an IfExists condition on an absent key', { StringEqualsIfExists: { 'aws:SourceVpc': 'vpc-1' } }],
  ['another value than the excluded one', { StringNotEquals: { 'aws:SourceAccount': '3' } }],
  ['a pattern for all values', { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['Wms#*'] } }],
  ['a pattern for all values of an absent key', { 'ForAllValues:StringLike': { 'aws:TagKeys': ['x'] } }],
  ['a required key', { Null: { 'dynamodb:LeadingKeys': 'false' } }],
  ['no condition', {}],
])('%s is met', (_, conditions) => {
  expect(conditionsHold(conditions, context())).toBe(true);
});

test.each<[string, Conditions]>([
  ['another value', { StringEquals: { 'aws:SourceAccount': '222222222222' } }],
  ['a key that the call does not have', { StringEquals: { 'aws:SourceVpc': 'vpc-1' } }],
  [
    'a pattern with an operator for exact values',
    { StringEquals: { 'kms:ViaService': 'sqs.*.amazonaws.com' } },
  ],
  ['a star over several parts of an ARN', { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:rule/*' } }],
  [
    'two conditions, of which one is not met',
    { StringEquals: { 'aws:SourceAccount': '111111111111', 'aws:SourceVpc': 'v' } },
  ],
  ['another pattern for all values', { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['Erp#*'] } }],
  ['a required key that is absent', { Null: { 'aws:TagKeys': 'false' } }],
  ['the opposite Boolean', { Bool: { 'aws:SecureTransport': 'false' } }],
])('%s is not met', (_, conditions) => {
  expect(conditionsHold(conditions, context())).toBe(false);
});

test('an unknown operator throws', () => {
  expect(() => conditionsHold({ DateLessThan: { 'aws:CurrentTime': '2030' } }, context())).toThrow(
    'Unknown condition operator DateLessThan: add it to conditions.ts.',
  );
});

function context() {
  return {
    'aws:SourceAccount': '111111111111',
    'aws:SourceArn': RULE,
    'kms:ViaService': 'sqs.eu-west-1.amazonaws.com',
    'aws:SecureTransport': 'true',
    'dynamodb:LeadingKeys': 'Wms#acme_mi8x2k_7',
  };
}
