import { expect, test } from 'vitest';
import { type Conditions, conditionsHold } from './conditions.ts';

const RULE = 'arn:aws:events:eu-west-1:111111111111:rule/bus/Delivered';

test.each<[string, Conditions]>([
  ['one of several values', { StringEquals: { 'aws:SourceAccount': ['222222222222', '111111111111'] } }],
  ['a pattern', { StringLike: { 'kms:ViaService': 'sqs.*.amazonaws.com' } }],
  ["a pattern of an ARN's parts", { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:111111111111:rule/*' } }],
  ['a key in other letters', { ArnEquals: { 'AWS:SourceArn': RULE } }],
  ['a truth', { Bool: { 'aws:SecureTransport': true } }],
  ['what is asked only where it is there', { StringEqualsIfExists: { 'aws:SourceVpc': 'vpc-1' } }],
  ['another value than the one that is ruled out', { StringNotEquals: { 'aws:SourceAccount': '3' } }],
  ['no condition', {}],
])('%s is met', (_, conditions) => {
  expect(conditionsHold(conditions, context())).toBe(true);
});

test.each<[string, Conditions]>([
  ['another value', { StringEquals: { 'aws:SourceAccount': '222222222222' } }],
  ['a key that the call does not bring', { StringEquals: { 'aws:SourceVpc': 'vpc-1' } }],
  ['a pattern where none is taken', { StringEquals: { 'kms:ViaService': 'sqs.*.amazonaws.com' } }],
  ['a star over several parts of an ARN', { ArnLike: { 'aws:SourceArn': 'arn:aws:events:*:rule/*' } }],
  ['one of two that is not', { StringEquals: { 'aws:SourceAccount': '111111111111', 'aws:SourceVpc': 'v' } }],
  ['the other truth', { Bool: { 'aws:SecureTransport': 'false' } }],
])('%s is not met', (_, conditions) => {
  expect(conditionsHold(conditions, context())).toBe(false);
});

test('an operator that is not known is not taken for met', () => {
  expect(() => conditionsHold({ DateLessThan: { 'aws:CurrentTime': '2030' } }, context())).toThrow(
    'The condition operator DateLessThan is not known here.',
  );
});

function context() {
  return {
    'aws:SourceAccount': '111111111111',
    'aws:SourceArn': RULE,
    'kms:ViaService': 'sqs.eu-west-1.amazonaws.com',
    'aws:SecureTransport': 'true',
  };
}
