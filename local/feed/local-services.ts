// What the feed needs on this machine: the data directory for itself, the engines, and clients that find them.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { EngineError } from '../../test/engines/engine-error.ts';
import { makeDataDirectory } from '../engines/data-directory.ts';
import { lockDataDirectory } from '../engines/data-directory-lock.ts';
import { startEngines } from '../engines/engines.ts';

export interface LocalServices {
  readonly dynamoDb: DynamoDBClient;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  /** Ends clients and engines, and releases the directory. */
  close(): Promise<void>;
}

/**
 * @param dataDir the directory for the state; undefined keeps none
 * @param onLost called if the directory is lost, or the engine of its tables ends by itself
 */
export async function openLocalServices(
  dataDir: string | undefined,
  onLost: (error: EngineError) => void,
): Promise<LocalServices> {
  /** Undoes each step, latest first. */
  const undo: (() => unknown)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (dataDir !== undefined) await makeDataDirectory(dataDir);
    const lock = dataDir === undefined ? undefined : await lockDataDirectory(dataDir, { onLost });
    undo.push(() => lock?.release());
    const { environment, stop, dynamoDbEnded } = await startEngines({ environment: process.env, dataDir });
    let isStopping = false;
    undo.push(() => {
      isStopping = true;
      return stop();
    });
    void dynamoDbEnded.then(() => isStopping || onLost(new EngineError(describeEnd(dataDir))));
    // The SDK's clients find the engines by these variables; nothing else in this process uses AWS.
    undo.push(setEnvironment(environment));
    const clients = {
      dynamoDb: createDynamoDbClient(FRUGAL),
      sns: new SNSClient(FRUGAL),
      sqs: new SQSClient(FRUGAL),
    };
    undo.push(() => Object.values(clients).forEach((client) => void client.destroy()));
    const endpoint = environment.AWS_ENDPOINT_URL_DYNAMODB;
    if (endpoint) await lock?.announce(endpoint);
    return { ...clients, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function describeEnd(dataDir: string | undefined): string {
  if (dataDir === undefined) return 'The DynamoDB engine of this process has ended. Start again.';
  return (
    `The DynamoDB engine of the data directory ${dataDir} has ended. Start again: the feed continues where it ` +
    'stopped, and nothing is lost.'
  );
}

/** The SDK builds the middleware of a command once, and not for each call. Add own middleware before the first call. */
const FRUGAL = { cacheMiddleware: true } as const;

/** @returns a function that restores the previous values */
function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
