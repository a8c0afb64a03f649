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

/** Of any service; the SDK treats an empty value as unset. */
const ENDPOINT = /^AWS_ENDPOINT_URL(_|$)/;
const address = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).optional();

/** @throws UsageError with the name of each variable that is no address */
export function checkEndpoints(environment: Environment): void {
  const wrong = Object.entries(environment).filter(
    ([name, value]) => ENDPOINT.test(name) && !address.safeParse(value).success,
  );
  if (wrong.length === 0) return;
  const problems = wrong.map(
    ([name, value]) =>
      `${name} must be an http or https address, such as http://127.0.0.1:8000 (got ${JSON.stringify(value)}).`,
  );
  throw new UsageError(problems.join(' '));
}

/** @throws UsageError as {@link checkEndpoints} */
export function readNamedEngines(environment: Environment): NamedEngines {
  checkEndpoints(environment);
  const endpointOf = (service: string) => environment[`AWS_ENDPOINT_URL_${service}`] || undefined;
  const all = environment.AWS_ENDPOINT_URL || undefined;
  const dynamoDb = endpointOf('DYNAMODB') ?? all;
  const sqs = endpointOf('SQS') ?? all;
  return {
    dynamoDb,
    // Engines serve tables and streams on one port; AWS does not.
    streams: endpointOf('DYNAMODB_STREAMS') ?? dynamoDb,
    sqs,
    // Topics must reach the queues: by default one engine serves both.
    sns: endpointOf('SNS') ?? sqs,
    eventBridge: endpointOf('EVENTBRIDGE') ?? all,
  };
}

/** The region of engines that this machine starts. An engine accepts any. */
export function localRegion({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): string {
  return AWS_REGION || AWS_DEFAULT_REGION || DEFAULT_REGION;
}

/**
 * The region of engines that the environment names: a profile may name it too, because a named engine may be AWS
 * itself.
 */
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
