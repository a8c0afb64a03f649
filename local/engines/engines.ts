// Runs the AWS services that the feed needs on this machine. The SDK finds the engines by its own variables, so another
// engine (DynamoDB Local, LocalStack …) replaces one if its variable is set, and all of them with AWS_ENDPOINT_URL.
// As soon as one engine runs here, the process ignores the user's AWS configuration: it reads no credentials, profile
// or config file, so that nothing here can reach the user's account.
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
const SNS = 'AWS_ENDPOINT_URL_SNS';
const EVENTBRIDGE = 'AWS_ENDPOINT_URL_EVENTBRIDGE';

export interface EnginesOptions {
  /** The present variables. An engine that a variable names is not started here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory for the tables, created if missing. @default nothing is kept */
  readonly dataDir?: string | undefined;
  /** Whether to start a bus if none is named. @default true */
  readonly withBus?: boolean;
  /** Called with the error of each failed delivery of the bus. @default ignored */
  readonly onDeliveryError?: ((error: unknown) => void) | undefined;
}

export interface Engines {
  /** Variables to set, in this process only, before the first SDK client is created. */
  readonly environment: Readonly<Record<string, string>>;
  /** The local bus; undefined if none was started. */
  readonly bus: Omit<EventBus, 'publish'> | undefined;
  /** Ends every started engine; may be called again. */
  stop(): Promise<void>;
}

interface Startable {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts the engines that the environment does not name.
 *
 * @throws EngineError if one of them can't be started; then none keeps running
 */
export async function startEngines({
  environment,
  dataDir,
  withBus = true,
  onDeliveryError,
}: EnginesOptions): Promise<Engines> {
  const named = (variable: string) => environment[variable] || environment.AWS_ENDPOINT_URL || undefined;
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1';
  const starting = [
    named(DYNAMODB) ? undefined : startDynamoDb(dataDir),
    named(SQS) ? undefined : startSqsEngine(),
    named(EVENTBRIDGE) || !withBus ? undefined : startEventBusEngine({ region, onDeliveryError }),
  ] as const;
  const [dynamoDb, sqs, bus] = await Promise.all(starting).catch(async (error: unknown) => {
    await stopAll(starting);
    throw error;
  });

  const dynamoDbEndpoint = dynamoDb?.endpoint ?? named(DYNAMODB);
  const endpoints = {
    [DYNAMODB]: dynamoDbEndpoint,
    // Engines serve tables and streams on one port; AWS does not.
    [STREAMS]: environment[STREAMS] || dynamoDbEndpoint,
    [SQS]: sqs?.endpoint ?? named(SQS),
    // Topics must reach the queues: the engine of the queues serves them too, unless both are named.
    [SNS]: sqs?.endpoint ?? (environment[SNS] || named(SQS)),
    [EVENTBRIDGE]: bus?.endpoint ?? named(EVENTBRIDGE),
  };
  const embedded = starting.some((engine) => engine !== undefined);
  return {
    environment: { ...present(endpoints), ...(embedded ? cutOff(region) : {}), ...QUIET },
    bus: bus?.bus,
    stop: () => stopAll(starting),
  };
}

/** Whether the environment names a bus that others can subscribe to. */
export function isBusNamed(environment: EnginesOptions['environment']): boolean {
  return Boolean(environment[EVENTBRIDGE] || environment.AWS_ENDPOINT_URL);
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
