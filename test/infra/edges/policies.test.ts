import { describe, expect, test } from 'vitest';
import { allows, type Statement } from './policies.ts';

const TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/Ledger';

function aStatement(fields: Partial<Statement> = {}): Statement {
  return { Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:Query'], Resource: TABLE, ...fields };
}

describe('a role', () => {
  test('may perform the action of a statement on its resource', () => {
    const statements = [aStatement({ Resource: ['arn:aws:sqs:us-east-1:000000000000:a', TABLE] })];

    const allowed = allows(statements, { action: 'dynamodb:Query', resource: TABLE });

    expect(allowed).toBe(true);
  });

  test.each([
    ['another action', aStatement(), 'dynamodb:PutItem', TABLE],
    ['another resource', aStatement(), 'dynamodb:Query', `${TABLE}2`],
    ["the resource's index", aStatement(), 'dynamodb:Query', `${TABLE}/index/created`],
    [
      'an action with a condition that the call does not meet',
      aStatement({ Condition: { StringEquals: { 'kms:ViaService': 'dynamodb' } } }),
      'dynamodb:Query',
      TABLE,
    ],
  ])('is not allowed %s', (_, statement, action, resource) => {
    const allowed = allows([statement], { action, resource });

    expect(allowed).toBe(false);
  });

  test('may not perform an action that another statement denies', () => {
    const statements = [aStatement(), aStatement({ Effect: 'Deny', Action: '*', Resource: '*' })];

    const allowed = allows(statements, { action: 'dynamodb:Query', resource: TABLE });

    expect(allowed).toBe(false);
  });

  test('may read only the secret whose name matches up to six final characters', () => {
    const statements = [
      aStatement({ Action: 'secretsmanager:GetSecretValue', Resource: 'secret:acme-??????' }),
    ];
    const mayRead = (resource: string) =>
      allows(statements, { action: 'secretsmanager:GetSecretValue', resource });

    expect([mayRead('secret:acme-x7Hk2Q'), mayRead('secret:acme-2-x7Hk2Q')]).toEqual([true, false]);
  });
});
