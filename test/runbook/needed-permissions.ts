// The permissions that AWS requires for an SDK call, each with its resource, derived from the request's target and body.
// SNS has no target header: its requests are forms, and their field Action is the operation.
// The result is undefined for an unknown call, which counts as denied.
// https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
import { TABLES } from '../../shared/deployment/tables.ts';
import type { Permission } from '../infra/edges/policies.ts';

/** ARNs by the names that calls use. */
export interface Arns {
  table(name: string): string;
  queue(url: string): string;
  bus(name: string): string;
  parameter(name: string): string;
  secret(id: string): string;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
type Body = any;

/** @param target the target header, for instance `DynamoDB_20120810.GetItem`, or `AmazonSNS.PublishBatch` */
export function neededPermissions(target: string, body: Body, arns: Arns): Permission[] | undefined {
  const [service, operation = ''] = target.split('.');
  switch (service) {
    case 'DynamoDB_20120810':
      return ofDynamoDb(operation, body, arns);
    case 'AmazonSQS':
      return ofSqs(operation, body, arns);
    case 'AmazonSNS':
      return operation === 'Publish' || operation === 'PublishBatch'
        ? [{ action: 'sns:Publish', resource: body.TopicArn }]
        : undefined;
    case 'AWSEvents':
      return operation === 'PutEvents'
        ? body.Entries.map((entry: Body) => ({
            action: 'events:PutEvents',
            resource: arns.bus(entry.EventBusName ?? 'default'),
          }))
        : undefined;
    case 'AmazonSSM':
      return operation === 'GetParameter'
        ? [{ action: 'ssm:GetParameter', resource: arns.parameter(body.Name) }]
        : undefined;
    case 'secretsmanager':
      return operation === 'GetSecretValue'
        ? [{ action: 'secretsmanager:GetSecretValue', resource: arns.secret(body.SecretId) }]
        : undefined;
    default:
      return undefined;
  }
}

const ON_ONE_TABLE = new Set([
  'DeleteItem',
  'DescribeTable',
  'GetItem',
  'PutItem',
  'Query',
  'Scan',
  'UpdateItem',
]);

const IN_TRANSACTION: Readonly<Record<string, string>> = {
  ConditionCheck: 'ConditionCheckItem',
  Delete: 'DeleteItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
};

function ofDynamoDb(operation: string, body: Body, { table }: Arns): Permission[] | undefined {
  const on = (action: string, resource: string) => ({ action: `dynamodb:${action}`, resource });
  if (ON_ONE_TABLE.has(operation)) {
    const index = body.IndexName === undefined ? '' : `/index/${body.IndexName}`;
    const key = leadingKeyOf(body);
    return [
      {
        ...on(operation, table(body.TableName) + index),
        ...(key !== undefined && { context: { 'dynamodb:LeadingKeys': key } }),
      },
    ];
  }
  switch (operation) {
    case 'BatchGetItem':
      return Object.keys(body.RequestItems).map((name) => on('BatchGetItem', table(name)));
    case 'TransactWriteItems':
      return body.TransactItems.flatMap((item: Body) =>
        Object.entries(item).map(([kind, { TableName }]: [string, Body]) =>
          on(IN_TRANSACTION[kind] ?? kind, table(TableName)),
        ),
      );
    case 'BatchExecuteStatement':
      return body.Statements.map(({ Statement }: Body) => {
        const [, name] = /^INSERT INTO "([^"]+)" VALUE /.exec(Statement) ?? [];
        return name === undefined ? on('PartiQLUnknown', Statement) : on('PartiQLInsert', table(name));
      });
    default:
      return undefined;
  }
}

/** Returns the partition key of a call on single items or of a query; undefined for a scan. */
function leadingKeyOf({ Key, Item, ExpressionAttributeValues, KeyConditionExpression }: Body) {
  const name = TABLES.ledger.partitionKey.name;
  const [, value = ''] = new RegExp(`^${name} = (:\\w+)`).exec(KeyConditionExpression ?? '') ?? [];
  return (Key ?? Item)?.[name]?.S ?? ExpressionAttributeValues?.[value]?.S;
}

function ofSqs(operation: string, body: Body, { queue }: Arns): Permission[] | undefined {
  const on = (action: string) => [{ action: `sqs:${action}`, resource: queue(body.QueueUrl) }];
  if (operation === 'SendMessage' || operation === 'SendMessageBatch') return on('SendMessage');
  return operation === 'ChangeMessageVisibility' ? on(operation) : undefined;
}
