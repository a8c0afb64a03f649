// Creates the template's tables, queues and topics on the engines, from their properties. Resolves the names of these and
// all other resources.
import { randomBytes } from 'node:crypto';
import {
  CreateTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { CreateTopicCommand, type SNSClient } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { arn, namesOf } from '../infra/edges/read-account.ts';
import { type Names, resolve } from '../infra/resolve-intrinsics.ts';
import { resourcesOf, type Template } from '../infra/template.ts';

interface Made {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

interface Clients {
  readonly dynamoDb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
}

/** @param endpoint the address at which operators reach queues @returns the names of all resources */
export async function createResources(
  template: Template,
  { dynamoDb, sqs, sns }: Clients,
  endpoint: () => string,
): Promise<Names> {
  // Other deployments use the same engines.
  const deployment = randomBytes(4).toString('hex');
  const made = new Map<string, Made>();
  const others = namesOf({ stackName: deployment, template });
  const names: Names = {
    ref: (id) => made.get(id)?.ref ?? others.ref(id),
    attribute: (id, name) => made.get(id)?.attributes[name] ?? others.attribute(id, name),
  };
  for (const [id] of resourcesOf(template, 'AWS::SecretsManager::Secret'))
    made.set(id, { ref: arn('secretsmanager', `secret:${deployment}-${id}-x7Hk2Q`), attributes: {} });
  for (const [id, { Properties }] of resourcesOf(template, 'AWS::DynamoDB::Table'))
    made.set(id, await createTable(dynamoDb, `${deployment}-${id}`, resolve(Properties, names)));
  for (const [id, { Properties }] of inOrderOfRedrive(resourcesOf(template, 'AWS::SQS::Queue'))) {
    const queue = await createQueue(sqs, `${deployment}-${id}`, resolve(Properties, names));
    const { pathname } = new URL(queue.url);
    made.set(id, {
      get ref() {
        return endpoint() + pathname;
      },
      attributes: { Arn: queue.arn, QueueName: pathname.split('/').at(-1) },
    });
  }
  for (const [id, { Properties }] of resourcesOf(template, 'AWS::SNS::Topic')) {
    const properties = resolve(Properties, names);
    // The template's name is the same in each deployment.
    const name = `${deployment}-${properties.TopicName ?? id}`;
    const ref = await createTopic(sns, name, properties);
    made.set(id, { ref, attributes: { TopicArn: ref, TopicName: name } });
  }
  return names;
}

// biome-ignore lint/suspicious/noExplicitAny: properties as they come
async function createTable(client: DynamoDBClient, name: string, properties: any): Promise<Made> {
  const { AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes } = properties;
  const { StreamSpecification, TimeToLiveSpecification } = properties;
  const { TableDescription } = await client.send(
    new CreateTableCommand({
      TableName: name,
      ...{ AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes },
      // CloudFormation has no StreamEnabled, only the view type.
      ...(StreamSpecification && { StreamSpecification: { ...StreamSpecification, StreamEnabled: true } }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 0.1, maxDelay: 1 }, { TableName: name });
  if (TimeToLiveSpecification !== undefined)
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  const StreamArn = TableDescription?.LatestStreamArn;
  return { ref: name, attributes: { Arn: arn('dynamodb', `table/${name}`), StreamArn } };
}

/** Creates a queue without encryption, because the engine does not encrypt. */
async function createQueue(
  client: SQSClient,
  name: string,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  { SqsManagedSseEnabled: _, ...properties }: any,
): Promise<{ url: string; arn: string }> {
  const Attributes = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );
  const QueueName = properties.FifoQueue === true ? `${name}.fifo` : name;
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName, Attributes }));
  const answer = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  return { url: QueueUrl, arn: answer.Attributes?.QueueArn ?? '' };
}

/** Creates a topic, also without encryption. @returns its ARN */
// biome-ignore lint/suspicious/noExplicitAny: as above
async function createTopic(client: SNSClient, Name: string, properties: any): Promise<string> {
  const { FifoTopic, ContentBasedDeduplication } = properties;
  const Attributes = {
    FifoTopic: String(FifoTopic),
    ContentBasedDeduplication: String(ContentBasedDeduplication),
  };
  const { TopicArn = '' } = await client.send(new CreateTopicCommand({ Name, Attributes }));
  return TopicArn;
}

/** The queues, dead-letter queues first. */
function inOrderOfRedrive<Entry extends readonly [string, { Properties: { RedrivePolicy?: unknown } }]>(
  queues: readonly Entry[],
): Entry[] {
  const redrives = ([, { Properties }]: Entry) => Number(Properties.RedrivePolicy !== undefined);
  return [...queues].sort((a, b) => redrives(a) - redrives(b));
}
