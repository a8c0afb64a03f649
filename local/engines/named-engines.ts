// The engines that the environment names, in place of those of this machine. The SDK reads the same variables.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { UsageError } from '../cli/failures.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The address of each engine that the environment names. */
export interface NamedEngines {
  readonly dynamoDb: string | undefined;
  readonly streams: string | undefined;
  readonly sqs: string | undefined;
  readonly sns: string | undefined;
  readonly eventBridge: string | undefined;
}

const DEFAULT_REGION = 'us-east-1';

/** The SDK treats an empty value as unset. */
const address = z.preprocess((value) => value || undefined, z.url({ protocol: /^https?$/ }).optional());

const variables = z.object({
  AWS_ENDPOINT_URL: address,
  AWS_ENDPOINT_URL_DYNAMODB: address,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: address,
  AWS_ENDPOINT_URL_SQS: address,
  AWS_ENDPOINT_URL_SNS: address,
  AWS_ENDPOINT_URL_EVENTBRIDGE: address,
});

/** @throws UsageError with the name of each variable that is no address */
export function readNamedEngines(environment: Environment): NamedEngines {
  const { data, error } = variables.safeParse(environment);
  if (data === undefined)
    throw new UsageError(error.issues.map(({ path }) => describe(String(path[0]), environment)).join(' '));
  const all = data.AWS_ENDPOINT_URL;
  const dynamoDb = data.AWS_ENDPOINT_URL_DYNAMODB ?? all;
  const sqs = data.AWS_ENDPOINT_URL_SQS ?? all;
  return {
    dynamoDb,
    // Engines serve tables and streams on one port; AWS does not.
    streams: data.AWS_ENDPOINT_URL_DYNAMODB_STREAMS ?? dynamoDb,
    sqs,
    // Topics must reach the queues: by default one engine serves both.
    sns: data.AWS_ENDPOINT_URL_SNS ?? sqs,
    eventBridge: data.AWS_ENDPOINT_URL_EVENTBRIDGE ?? all,
  };
}

function describe(variable: string, environment: Environment): string {
  const value = JSON.stringify(environment[variable]);
  return `${variable} must be the address of an engine, such as http://127.0.0.1:8000 (got ${value}).`;
}

/** The region of engines that this machine starts. An engine accepts any. */
export function localRegion({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): string {
  return AWS_REGION || AWS_DEFAULT_REGION || DEFAULT_REGION;
}

/** The region of engines that the environment names: a profile may name it too, as it may be for AWS. */
export async function namedRegion(environment: Environment): Promise<string> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = environment;
  if (AWS_REGION || AWS_DEFAULT_REGION) return localRegion(environment);
  const client = new DynamoDBClient();
  try {
    return await client.config.region();
  } catch {
    return DEFAULT_REGION;
  } finally {
    client.destroy();
  }
}
