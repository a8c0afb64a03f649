// Finds the parts of a deployment: by its stack's outputs, or by the environment variables that its functions use too.
import { UsageError } from '../cli/failures.ts';

/** The stack output and the variable that name each part. A part that the command does not need may be missing. */
export const PARTS = {
  sources: { output: 'SourcesTable', variable: 'SOURCES_TABLE' },
  snapshots: { output: 'SnapshotsTable', variable: 'SNAPSHOTS_TABLE' },
  ledger: { output: 'LedgerTable', variable: 'LEDGER_TABLE' },
  marks: { output: 'MarksTable', variable: 'MARKS_TABLE' },
  topicArn: { output: 'TopicArn', variable: 'TOPIC_ARN' },
  busName: { output: 'BusName', variable: 'EVENT_BUS_NAME' },
  webhooksPath: { output: 'WebhooksPath', variable: 'WEBHOOKS_PATH' },
  pullUrl: { output: 'PullUrl', variable: 'PULL_URL' },
  poller: { output: 'PollerFunction', variable: 'POLLER_FUNCTION' },
  feedName: { output: 'FeedName', variable: 'FEED_NAME' },
  /** Only where commands may add sources. */
  tokenKey: { output: 'TokenKey', variable: 'TOKEN_KEY' },
} as const;

type Part = keyof typeof PARTS;

/** Every command needs these. */
const TABLES_NEEDED = ['sources', 'snapshots', 'ledger', 'marks'] as const satisfies readonly Part[];

export type Deployment = Readonly<
  Partial<Record<Part, string>> & Record<(typeof TABLES_NEEDED)[number], string>
>;

/** @returns undefined if no table is named. @throws UsageError if only some of the tables are */
export function findDeploymentInEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Deployment | undefined {
  const parts = pick(({ variable }) => environment[variable]);
  const missing = TABLES_NEEDED.filter((part) => parts[part] === undefined);
  if (missing.length === TABLES_NEEDED.length) return undefined;
  if (isDeployment(parts)) return parts;
  const names = missing.map((part) => PARTS[part].variable);
  throw new UsageError(`Set the names of all tables: ${names.join(', ')} is missing.`);
}

/** @throws UsageError without credentials, Error if the stack does not exist, or is not a feed's */
export async function findStackDeployment(stack: string): Promise<Deployment> {
  // Loaded only for --stack.
  const { CloudFormation } = await import('@aws-sdk/client-cloudformation');
  const { Stacks } = await withClient(new CloudFormation(), async (client) => {
    await requireCredentials(client.config.credentials);
    return client.describeStacks({ StackName: stack });
  });
  const outputs = new Map(
    Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const parts = pick(({ output }) => outputs.get(output));
  if (isDeployment(parts)) return parts;
  const missing = TABLES_NEEDED.filter((part) => parts[part] === undefined);
  throw new Error(
    `The stack ${stack} is not a feed's stack: it has no output ` +
      `${missing.map((part) => PARTS[part].output).join(', ')}.`,
  );
}

/** The SDK's own message names no variable. */
async function requireCredentials(credentials: () => Promise<unknown>): Promise<void> {
  await credentials().catch((cause: unknown) => {
    throw new UsageError(
      '--stack needs your credentials in AWS: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY ' +
        `(${(cause as Error).message}).`,
      { cause },
    );
  });
}

/** The name of a part that the command needs. @throws UsageError that says how to name it */
export function partOf(deployment: Deployment, part: Part): string {
  const name = deployment[part];
  if (name !== undefined) return name;
  const { output, variable } = PARTS[part];
  throw new UsageError(
    `This command needs the stack's output ${output} or the variable ${variable}. ` +
      'If an earlier release deployed the stack, deploy it again.',
  );
}

function pick(find: (names: (typeof PARTS)[Part]) => string | undefined): Partial<Record<Part, string>> {
  const found = Object.entries(PARTS).flatMap(([part, names]) => {
    const name = find(names);
    return name ? [[part, name]] : [];
  });
  return Object.fromEntries(found);
}

function isDeployment(parts: Partial<Record<Part, string>>): parts is Deployment {
  return TABLES_NEEDED.every((part) => parts[part] !== undefined);
}

/** Runs work with a client of the SDK, and closes the client even if the work fails. */
export async function withClient<Client extends { destroy(): void }, Result>(
  client: Client,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}
