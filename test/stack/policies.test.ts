import { describe, expect, test } from 'vitest';
import { type Arns, neededPermissions } from './needed-permissions.ts';
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

describe('a call', () => {
  const own = (name: string) => `arn:${name}`;
  const arns: Arns = { table: own, queue: own, bus: own, parameter: own, secret: own };

  test('needs a permission for each table of a transaction, by its operation', () => {
    const body = {
      TransactItems: [{ Put: { TableName: 'a' } }, { Delete: { TableName: 'b' } }],
    };

    const needed = neededPermissions('DynamoDB_20120810.TransactWriteItems', body, arns);

    expect(needed).toEqual([
      { action: 'dynamodb:PutItem', resource: 'arn:a' },
      { action: 'dynamodb:DeleteItem', resource: 'arn:b' },
    ]);
  });

  test('on an index needs a permission for the index', () => {
    const needed = neededPermissions('DynamoDB_20120810.Query', { TableName: 'a', IndexName: 'i' }, arns);

    expect(needed).toEqual([{ action: 'dynamodb:Query', resource: 'arn:a/index/i' }]);
  });

  test.each<[string, object]>([
    ['GetItem', { Key: { k: { S: 'Wms#acme_x_1' } } }],
    ['PutItem', { Item: { k: { S: 'Wms#acme_x_1' }, n: { N: '1' } } }],
    [
      'Query',
      {
        KeyConditionExpression: 'k = :k AND n > :after',
        ExpressionAttributeValues: { ':k': { S: 'Wms#acme_x_1' }, ':after': { N: '1' } },
      },
    ],
  ])('on items is checked by their partition key: %s', (operation, body) => {
    const needed = neededPermissions(`DynamoDB_20120810.${operation}`, { TableName: 'a', ...body }, arns);

    const ofWms = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['Wms#*'] } };
    const ofErp = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['Erp#*'] } };
    const allowedBy = (Condition: Statement['Condition']) =>
      needed?.every((permission) =>
        allows(
          [aStatement({ Action: 'dynamodb:*', Resource: 'arn:a', ...(Condition && { Condition }) })],
          permission,
        ),
      );
    expect([allowedBy(ofWms), allowedBy(ofErp)]).toEqual([true, false]);
  });

  test.each([
    'AWSStepFunctions.StartExecution',
    'DynamoDB_20120810.BatchWriteItem',
    'AmazonSQS.PurgeQueue',
    'AWSSecurityTokenService.AssumeRole',
  ])('that is unknown, such as %s, is not allowed', (target) => {
    const needed = neededPermissions(target, {}, arns);

    expect(needed).toBeUndefined();
  });
});
