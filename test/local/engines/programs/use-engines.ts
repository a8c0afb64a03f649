// Uses every engine once through clients that only the environment configures, then stops the engines. Node ends only
// if nothing is left open. No output means success. It uses a bus only if the environment names one.
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient, ListStreamsCommand } from '@aws-sdk/client-dynamodb-streams';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { isBusNamed, startEngines } from '../../../../local/engines/engines.ts';

const engines = await startEngines({ environment: process.env, dataDir: process.argv[2] });
Object.assign(process.env, engines.environment);

const dynamoDb = new DynamoDBClient();
const streams = new DynamoDBStreamsClient();
const sqs = new SQSClient();
const sns = new SNSClient();
const eventBridge = new EventBridgeClient();
await dynamoDb.send(new ListTablesCommand());
await streams.send(new ListStreamsCommand());
const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'queue' }));
await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'body' }));
await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
await sns.send(new CreateTopicCommand({ Name: 'topic' }));
const Entries = [{ Source: 'source', DetailType: 'type', Detail: '{}' }];
if (isBusNamed(process.env)) await eventBridge.send(new PutEventsCommand({ Entries }));

for (const client of [dynamoDb, streams, sqs, sns, eventBridge]) client.destroy();
await engines.stop();
