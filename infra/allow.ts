// Statements of the functions' roles: each allows only the actions that the adapters call, on named resources.
import { Stack } from 'aws-cdk-lib';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { TOKEN_CONTEXT } from '../shared/deployment/token-names.ts';
import { acknowledge } from './acknowledge.ts';
import type { FeedTables } from './storage.ts';

export function allow(role: iam.IGrantable, actions: readonly string[], ...resources: string[]): void {
  role.grantPrincipal.addToPrincipalPolicy(new iam.PolicyStatement({ actions: [...actions], resources }));
}

/** Allows an action on all resources that a pattern matches. @param reason why not fewer, for reviewers of the stack */
export function allowPattern(role: iam.Role, action: string, pattern: string, reason: string): void {
  allow(role, [action], pattern);
  acknowledge(role, `IAM5[Resource::${shownInFindings(Stack.of(role).resolve(pattern))}]`, reason);
}

/** As cdk-nag writes references. */
function shownInFindings(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll(/\$\{(.*?)\}/g, '<$1>');
  const { Ref, 'Fn::Sub': text, 'Fn::Join': [, parts] = [] } = value as Intrinsic;
  if (Ref !== undefined) return `<${Ref}>`;
  return text === undefined ? (parts ?? []).map(shownInFindings).join('') : shownInFindings(text);
}

interface Intrinsic {
  readonly Ref?: string;
  readonly 'Fn::Sub'?: string;
  readonly 'Fn::Join'?: readonly [string?, (readonly unknown[])?];
}

/** Allows actions on a table. If a customer managed key encrypts it, also allows the use of that key through DynamoDB. */
export function allowTable(
  role: iam.IGrantable,
  table: dynamodb.ITable,
  actions: readonly `dynamodb:${string}`[],
): void {
  allow(role, actions, table.tableArn);
  allowTableKey(role, table);
}

/**
 * Allows actions on the items of a table whose partition keys match one of some patterns.
 *
 * @param keys the patterns, for instance `Wms#*`
 */
export function allowItems(
  role: iam.IGrantable,
  table: dynamodb.ITable,
  actions: readonly `dynamodb:${'BatchGetItem' | 'DeleteItem' | 'GetItem' | 'PutItem' | 'UpdateItem'}`[],
  ...keys: readonly string[]
): void {
  role.grantPrincipal.addToPrincipalPolicy(
    new iam.PolicyStatement({
      actions: [...actions],
      resources: [table.tableArn],
      conditions: {
        // `ForAllValues` is also true for a request without keys, so `Null` requires them.
        // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  );
  allowTableKey(role, table);
}

/** Matches the ledger's partition keys of the feed's own events: `<source>_<generation>_feed`. */
export const FEED_GROUPS = '*_feed';

/** Matches the keys of sources' entries. */
export const ENTRIES = 'directory/*';

/**
 * Allows the use of the key of tokens inside entries, only for those of this feed and with the whole context of a token.
 * https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html
 */
export function allowTokenKey(
  role: iam.IGrantable,
  key: kms.IKey,
  action: 'kms:Decrypt' | 'kms:Encrypt',
  feed: string,
): void {
  const [bound, ...present] = TOKEN_CONTEXT.map((name) => `kms:EncryptionContext:${name}`);
  role.grantPrincipal.addToPrincipalPolicy(
    new iam.PolicyStatement({
      actions: [action],
      resources: [key.keyArn],
      conditions: {
        StringEquals: { [String(bound)]: feed },
        Null: Object.fromEntries(present.map((name) => [name, 'false'])),
        'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': [...TOKEN_CONTEXT] },
      },
    }),
  );
}

/** Matches the partition keys of the pull feed's positions and marks in the table of marks. */
export const PULL_ITEMS = 'pull#*';

/** Allows reading in which generation each source is, and whether its tables are those that it began in. */
export function allowGenerations(role: iam.IGrantable, { snapshots, ledger, sources }: FeedTables): void {
  for (const table of [snapshots, ledger, sources]) allow(role, ['dynamodb:DescribeTable'], table.tableArn);
  allowItems(role, sources, ['dynamodb:GetItem'], 'source/*');
}

function allowTableKey(role: iam.IGrantable, { encryptionKey }: dynamodb.ITable): void {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
  allowKey(role, encryptionKey, 'dynamodb', [
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
    'kms:GenerateDataKeyWithoutPlaintext',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ]);
}

/** Allows reading a secret and, if a customer managed key encrypts it, decrypting it. */
export function allowSecret(role: iam.IGrantable, secret: secretsmanager.ISecret): void {
  // Secrets Manager appends six random characters to the name in the ARN.
  allow(role, ['secretsmanager:GetSecretValue'], secret.secretFullArn ?? `${secret.secretArn}-??????`);
  // AWS managed keys need no statement: their policies let the account's principals use them through the service.
  allowKey(role, secret.encryptionKey, 'secretsmanager', ['kms:Decrypt']);
}

/** Allows receiving and deleting messages of a queue. */
export function allowConsuming(role: iam.IGrantable, queue: sqs.IQueue): void {
  allow(
    role,
    ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
    queue.queueArn,
  );
  allowKey(role, queue.encryptionMasterKey, 'sqs', ['kms:Decrypt']);
}

export function allowSending(
  role: iam.IGrantable,
  queue: Pick<sqs.IQueue, 'queueArn' | 'encryptionMasterKey'>,
): void {
  allow(role, ['sqs:SendMessage'], queue.queueArn);
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
  allowKey(role, queue.encryptionMasterKey, 'sqs', ['kms:Decrypt', 'kms:GenerateDataKey']);
}

/** @param key the customer managed key of the topic; undefined for SNS's own key, which needs no permission */
export function allowPublishing(role: iam.IGrantable, topic: sns.ITopic, key: kms.IKey | undefined): void {
  allow(role, ['sns:Publish'], topic.topicArn);
  // SNS documents `kms:GenerateDataKey*`; these are its actions for symmetric keys.
  // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
  allowKey(role, key, 'sns', ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:GenerateDataKeyWithoutPlaintext']);
}

/** Allows the use of a customer managed key through one service. Does nothing if the key is undefined. */
export function allowKey(
  role: iam.IGrantable,
  key: kms.IKey | undefined,
  service: 'dynamodb' | 'secretsmanager' | 'sns' | 'sqs' | 'ssm',
  actions: readonly string[],
): void {
  if (key === undefined) return;
  const { region, urlSuffix } = Stack.of(key);
  role.grantPrincipal.addToPrincipalPolicy(
    new iam.PolicyStatement({
      actions: [...actions],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${region}.${urlSuffix}` } },
    }),
  );
}
