// All that AWS gives the feed, on this machine. The engines are reached through the SDK's own variables, so any other
// engine (DynamoDB Local, LocalStack …) takes the place of one by being named there, all of them in AWS_ENDPOINT_URL.
// As soon as one engine is ours, the process is cut off from the user's AWS configuration: no credentials, profile or
// config file of theirs is read, so that nothing here can reach their account.
import { devNull } from 'node:os';
import { join } from 'node:path';
import { makeDataDirectory } from './data-directory.ts';
import { startDynamoDbEngine } from './dynamodb-engine.ts';
import type { EventBus } from './event-bus.ts';
import { startEventBusEngine } from './event-bus-engine.ts';
import { startSqsEngine } from './sqs-engine.ts';

const DYNAMODB = 'AWS_ENDPOINT_URL_DYNAMODB';
const STREAMS = 'AWS_ENDPOINT_URL_DYNAMODB_STREAMS';
const SQS = 'AWS_ENDPOINT_URL_SQS';
const EVENTBRIDGE = 'AWS_ENDPOINT_URL_EVENTBRIDGE';

export interface EnginesOptions {
  /** What is set already; variables that name an engine keep ours of that kind from starting. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the tables are kept, made if it is not there. @default nothing is kept */
  readonly dataDir?: string | undefined;
  /** Told of deliveries of the bus that failed; they are dropped without it. */
  readonly onDeliveryError?: ((error: unknown) => void) | undefined;
}

export interface Engines {
  /** To be set in the process (and only there) before the first client of the SDK is made. */
  readonly environment: Readonly<Record<string, string>>;
  /** The local bus, undefined where another one was named. */
  readonly bus: Omit<EventBus, 'publish'> | undefined;
  /** Ends every engine that was started; may be called again. */
  stop(): Promise<void>;
}

interface Startable {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts the engines that the environment does not name.
 *
 * @throws EngineError when one of them can't be started; then none is left running.
 */
export async function startEngines({
  environment,
  dataDir,
  onDeliveryError,
}: EnginesOptions): Promise<Engines> {
  const named = (variable: string) => environment[variable] || environment.AWS_ENDPOINT_URL || undefined;
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1';
  const starting = [
    named(DYNAMODB) ? undefined : startDynamoDb(dataDir),
    named(SQS) ? undefined : startSqsEngine(),
    named(EVENTBRIDGE) ? undefined : startEventBusEngine({ region, onDeliveryError }),
  ] as const;
  const [dynamoDb, sqs, bus] = await Promise.all(starting).catch(async (error: unknown) => {
    await stopAll(starting);
    throw error;
  });

  const dynamoDbEndpoint = dynamoDb?.endpoint ?? named(DYNAMODB);
  const endpoints = {
    [DYNAMODB]: dynamoDbEndpoint,
    // Engines serve both on one port; AWS does not.
    [STREAMS]: environment[STREAMS] || dynamoDbEndpoint,
    [SQS]: sqs?.endpoint ?? named(SQS),
    [EVENTBRIDGE]: bus?.endpoint ?? named(EVENTBRIDGE),
  };
  const embedded = starting.some((engine) => engine !== undefined);
  return {
    environment: { ...present(endpoints), ...(embedded ? cutOff(region) : {}), ...QUIET },
    bus: bus?.bus,
    stop: () => stopAll(starting),
  };
}

async function startDynamoDb(dataDir: string | undefined): Promise<Startable> {
  if (dataDir === undefined) return startDynamoDbEngine();
  await makeDataDirectory(dataDir);
  return startDynamoDbEngine({ dbPath: join(dataDir, 'tables.db') });
}

async function stopAll(starting: readonly (Promise<Startable> | undefined)[]): Promise<void> {
  const outcomes = await Promise.allSettled(starting);
  await Promise.all(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value?.stop() : undefined)),
  );
}

/** Empty where the SDK takes an empty text for none: a variable that the user set must not shine through. */
function cutOff(region: string): Record<string, string> {
  return {
    AWS_REGION: region,
    // DynamoDB Local takes letters and digits only.
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

/** The SDK prints a notice on Node 20 once a client is made. */
const QUIET = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };

function present(variables: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
