// Runs the AWS services that the feed needs on this machine. The SDK finds the engines by its own variables: a
// variable that names another engine (DynamoDB Local, LocalStack …) replaces one, AWS_ENDPOINT_URL replaces all.
// As soon as one engine runs here, the process ignores the user's AWS configuration: it reads no credentials, profile
// or config file, so that nothing here can reach the user's account.
import { devNull } from 'node:os';
import { join } from 'node:path';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../test/engines/dynamodb-engine.ts';
import { type SqsEngine, startSqsEngine } from '../../test/engines/sqs-engine.ts';
import { makeDataDirectory } from './data-directory.ts';
import { type Environment, localRegion, namedRegion, readNamedEngines } from './named-engines.ts';

export interface EnginesOptions {
  /** The present variables. An engine that a variable names is not started here. */
  readonly environment: Environment;
  /** The directory for the tables, created if missing. @default nothing is kept */
  readonly dataDir?: string | undefined;
}

export interface Engines {
  /** Variables to set, in this process only, before the first SDK client is created. */
  readonly environment: Readonly<Record<string, string>>;
  /** Resolves when the DynamoDB engine has ended, at a stop or by itself; never if the environment names one. */
  readonly dynamoDbEnded: Promise<void>;
  /** Ends every started engine; may be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the engines that the environment does not name. There is no engine of a bus: nobody could subscribe to a bus
 * of this process (docs/decisions/0027).
 *
 * @throws UsageError if a variable is no address
 * @throws EngineError if an engine can't be started; then none keeps running
 */
export async function startEngines({ environment, dataDir }: EnginesOptions): Promise<Engines> {
  const named = readNamedEngines(environment);
  const starting = [
    named.dynamoDb ? undefined : startDynamoDb(dataDir),
    named.sqs ? undefined : startSqsEngine(),
  ] as const;
  const [dynamoDb, sqs] = await Promise.all(starting).catch(async (error: unknown) => {
    await stopAll(starting);
    throw error;
  });

  const endpoints = {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb?.endpoint ?? named.dynamoDb,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: named.streams ?? dynamoDb?.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs?.endpoint ?? named.sqs,
    // Topics must reach the queues: the engine of the queues serves them too, unless both are named.
    AWS_ENDPOINT_URL_SNS: sqs?.endpoint ?? named.sns,
    AWS_ENDPOINT_URL_EVENTBRIDGE: named.eventBridge,
  };
  const embedded = starting.some((engine) => engine !== undefined);
  const access = embedded ? cutOff(localRegion(environment)) : { AWS_REGION: await namedRegion(environment) };
  return {
    environment: { ...present(endpoints), ...access, ...QUIET },
    dynamoDbEnded: dynamoDb?.ended ?? new Promise(() => {}),
    stop: () => stopAll(starting),
  };
}

/** Whether the environment names a bus that others can subscribe to. */
export function isBusNamed(environment: Environment): boolean {
  return readNamedEngines(environment).eventBridge !== undefined;
}

async function startDynamoDb(dataDir: string | undefined): Promise<DynamoDbEngine> {
  if (dataDir === undefined) return startDynamoDbEngine();
  await makeDataDirectory(dataDir);
  return startDynamoDbEngine({ dbPath: join(dataDir, 'tables.db') });
}

async function stopAll(
  starting: readonly (Promise<DynamoDbEngine | SqsEngine> | undefined)[],
): Promise<void> {
  const outcomes = await Promise.allSettled(starting);
  await Promise.all(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value?.stop() : undefined)),
  );
}

/** Overrides the user's variables. The SDK treats an empty value as unset. */
function cutOff(region: string): Record<string, string> {
  return {
    AWS_REGION: region,
    // DynamoDB Local accepts only letters and digits.
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: '',
    AWS_CREDENTIAL_EXPIRATION: '',
    AWS_CREDENTIAL_SCOPE: '',
    AWS_ACCOUNT_ID: '',
    AWS_PROFILE: '',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    AWS_USE_FIPS_ENDPOINT: 'false',
    AWS_USE_DUALSTACK_ENDPOINT: 'false',
  };
}

/** Suppresses the notice that the SDK prints on Node 20 when a client is created. */
const QUIET = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };

function present(variables: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
