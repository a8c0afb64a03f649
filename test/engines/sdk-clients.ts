// SDK clients for engines on this machine.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';

const LOCAL = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export const connectDynamoDb = (endpoint: string) => new DynamoDBClient({ ...LOCAL, endpoint });
// Without `endpoint`, as in the product: the SDK then sends to the address in the queue's URL.
export const connectSqs = (endpoint: string) => {
  process.env.AWS_ENDPOINT_URL_SQS = endpoint;
  return new SQSClient(LOCAL);
};
