// The calls that one AWS service makes to another, with their documented condition keys. Undocumented keys are omitted,
// so that no policy relies on them.

import type { Call, Caller } from './judge-call.ts';
import type { Context } from './policies.ts';
import { ACCOUNT, type Account, REGION } from './read-account.ts';

/** A service assumes a role before it makes calls with it. */
export function takeRole(service: string, role: string, context: Context = {}): Call {
  return { caller: { service }, action: 'sts:AssumeRole', resource: role, context };
}

/**
 * @param context the condition keys of the resource that the service acts for
 */
export function sendToQueue(account: Account, caller: Caller, queue: string, context: Context = {}): Call[] {
  return [
    { caller, action: 'sqs:SendMessage', resource: queue, context },
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
    ...useQueueKey(account, caller, queue, ['kms:GenerateDataKey', 'kms:Decrypt'], context),
  ];
}

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
export function consumeQueue(account: Account, caller: Caller, queue: string): Call[] {
  const actions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
  return [
    ...actions.map((action) => ({ caller, action, resource: queue })),
    ...useQueueKey(account, caller, queue, ['kms:Decrypt'], {}),
  ];
}

/** https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html */
export function readStream(account: Account, caller: Caller, stream: string): Call[] {
  const table = account.find(stream);
  if (table === undefined) throw new Error(`There is no table of the stream ${stream}.`);
  const { SSESpecification = {}, TableName } = table.resolve(table.properties);
  const actions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
  return [
    ...actions.map((action) => ({ caller, action, resource: stream })),
    { caller, action: 'dynamodb:ListStreams', resource: '*' },
    ...useKey(caller, SSESpecification.KMSMasterKeyId, ['kms:Decrypt'], {
      'kms:ViaService': `dynamodb.${REGION}.amazonaws.com`,
      'kms:EncryptionContext:aws:dynamodb:tableName': TableName ?? table.arn.split('/').at(-1),
      'kms:EncryptionContext:aws:dynamodb:subscriberId': ACCOUNT,
    }),
  ];
}

export function publishToTopic(account: Account, caller: Caller, topic: string, context: Context): Call[] {
  const found = account.find(topic);
  return [
    { caller, action: 'sns:Publish', resource: topic, context: { ...context, 'AWS:SourceOwner': ACCOUNT } },
    // https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    ...useKey(
      caller,
      found?.resolve(found.properties).KmsMasterKeyId,
      ['kms:GenerateDataKey', 'kms:Decrypt'],
      {
        'kms:EncryptionContext:aws:sns:topicArn': topic,
      },
    ),
  ];
}

function useQueueKey(
  account: Account,
  caller: Caller,
  queue: string,
  actions: readonly string[],
  context: Context,
): Call[] {
  const found = account.find(queue);
  if (found === undefined) throw new Error(`There is no queue ${queue}.`);
  const encryption = { 'kms:EncryptionContext:aws:sqs:arn': queue };
  // EventBridge names neither the rule nor the bus to KMS (documented for topics: .../sns-key-management.html).
  const isEventBridge = 'service' in caller && caller.service === 'events.amazonaws.com';
  return useKey(caller, found.resolve(found.properties).KmsMasterKeyId, actions, {
    ...(isEventBridge ? {} : context),
    ...('role' in caller && { 'kms:ViaService': `sqs.${REGION}.amazonaws.com` }),
    ...encryption,
  });
}

/** Returns no calls if the service encrypts with its own key. */
export function useKey(
  caller: Caller,
  key: string | undefined,
  actions: readonly string[],
  context: Context,
): Call[] {
  if (key === undefined) return [];
  return actions.map((action) => ({ caller, action, resource: key, context }));
}
