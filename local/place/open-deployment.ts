// A feed that is deployed in AWS: the DynamoDB adapters on its tables, and its other parts by their names.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { readActivities } from '../../functions/adapters/dynamodb-activities.ts';
import { listBehind, readMark } from '../../functions/adapters/dynamodb-behind.ts';
import { createDynamoDbClient } from '../../functions/adapters/dynamodb-client.ts';
import { createDynamoDbDispatches } from '../../functions/adapters/dynamodb-dispatches.ts';
import { createDynamoDbEndpointStates } from '../../functions/adapters/dynamodb-endpoint-states.ts';
import { listLatestGroups } from '../../functions/adapters/dynamodb-latest-groups.ts';
import { createDynamoDbLedger } from '../../functions/adapters/dynamodb-ledger.ts';
import { createDynamoDbLedgerEraser } from '../../functions/adapters/dynamodb-ledger-eraser.ts';
import { readMarks } from '../../functions/adapters/dynamodb-mark-batch.ts';
import { createDynamoDbMarks } from '../../functions/adapters/dynamodb-marks.ts';
import { createDynamoDbPositions } from '../../functions/adapters/dynamodb-positions.ts';
import { createDynamoDbProgress } from '../../functions/adapters/dynamodb-progress.ts';
import { createDynamoDbReaders } from '../../functions/adapters/dynamodb-readers.ts';
import { createDynamoDbSnapshotStore } from '../../functions/adapters/dynamodb-snapshot-store.ts';
import { createDynamoDbSourceDirectory } from '../../functions/adapters/dynamodb-source-directory.ts';
import { listSources } from '../../functions/adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../../functions/adapters/dynamodb-source-states.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { traitsOf } from '../../shared/deployment/destinations.ts';
import { createPresentGeneration } from '../../shared/source/present-generation.ts';
import { UsageError } from '../cli/failures.ts';
import { shellWord } from '../cli/shell-word.ts';
import { createPollerFinder } from './ask-poller.ts';
import { unsentOfRecent } from './changed-groups.ts';
import { type Deployment, findDeploymentInEnvironment, findStackDeployment } from './find-deployment.ts';
import { withQuietPolls } from './load-quiet-polls.ts';
import { listWebhooks, relaysOf } from './named-destinations.ts';
import {
  type FeedLists,
  findSources,
  labelsOfWebhook,
  type OpenFeed,
  openStderrLog,
  type PlaceFlags,
} from './open-feed.ts';
import { oneByOne } from './service-access.ts';

export interface DeployedFeed extends OpenFeed {
  readonly client: DynamoDBClient;
  readonly deployment: Deployment;
}

/** Runs work on a deployment, and closes it even if the work fails. @throws as {@link openDeployment} */
export async function withDeployment<Result>(
  { stack }: Pick<PlaceFlags, 'stack'>,
  work: (feed: DeployedFeed) => Promise<Result>,
): Promise<Result> {
  const feed = await openDeployment(stack);
  return work(feed).finally(feed.close);
}

/**
 * @param stack undefined for the tables that the environment names
 * @throws UsageError if neither names a deployment, or there is no region; Error if the stack is no feed's
 */
export async function openDeployment(stack: string | undefined): Promise<DeployedFeed> {
  const named = stack === undefined ? findDeploymentInEnvironment(process.env) : undefined;
  if (stack === undefined && named === undefined)
    throw new UsageError(
      'Name the place of the state: --data DIR on this machine, --stack NAME of a deployment, or its tables ' +
        'in SOURCES_TABLE, SNAPSHOTS_TABLE, LEDGER_TABLE and MARKS_TABLE.',
    );
  checkEndpoints(process.env);
  const client = createDynamoDbClient();
  await client.config.region().catch((cause: unknown) => {
    throw new UsageError(
      "Name the deployment's region: set AWS_REGION, or AWS_PROFILE to a profile with a region.",
      { cause },
    );
  });
  const deployment = named ?? (await findStackDeployment(stack ?? ''));
  const clock = createSystemClock();
  const access = { client, tables: deployment, clock };
  const states = createDynamoDbSourceStates(access);
  const [store, ledger] = [createDynamoDbSnapshotStore(access), createDynamoDbLedger(access)];
  const quiet = {
    ...{ clock, dispatches: createDynamoDbDispatches(access), progress: createDynamoDbProgress(access) },
  };
  const lists: FeedLists = {
    sources: () => listSources(client, deployment.sources).catch(explainMissing(deployment.sources)),
    mark: (destination, key) => readMark(client, deployment.marks, destination, key),
    unsent: (query) =>
      unsentOfRecent(query, (groups) => readMarks(access, deployment.marks, query.destination, groups)),
    behind: (destination, source) => listBehind(client, deployment.marks, destination, source),
    candidates: (source, _, most) => listLatestGroups(client, deployment.snapshots, source, most),
    formerly: async () => [],
    skipped: async () => [],
  };
  return {
    flags: stack === undefined ? '' : ` --stack ${shellWord(stack)}`,
    client,
    deployment,
    clock,
    log: openStderrLog(),
    states,
    store,
    ledger,
    eraser: createDynamoDbLedgerEraser(access),
    marks: createDynamoDbMarks(access),
    endpoints: createDynamoDbEndpointStates(access),
    configured: async () =>
      new Map((await createDynamoDbSourceDirectory(access).list()).map((entry) => [entry.name, entry])),
    statesOf: async (sources) => withQuietPolls(quiet, await states.loadMany(sources)),
    activitiesOf: (sources) => readActivities(access, deployment.sources, sources),
    presentGeneration: createPresentGeneration(states),
    readers: createDynamoDbReaders(access),
    positions: createDynamoDbPositions({ ...access, ledger, snapshots: store }),
    lists,
    destinations: relaysOf(deployment).map(traitsOf),
    webhooks: async () => (await listWebhooks(deployment)).map(labelsOfWebhook),
    ...findSources(lists, states),
    openAccess: () => oneByOne({ ...createPollerFinder(deployment), close() {} }),
    poller: async () => undefined,
    lastStart: async () => undefined,
    close: async () => client.destroy(),
  };
}

/** The SDK takes the addresses of AWS's services from these; an empty one counts as unset. */
const ENDPOINT = /^AWS_ENDPOINT_URL(_|$)/;
const address = z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).optional();

/** @throws UsageError with the name of each variable that is no address */
function checkEndpoints(environment: Readonly<Record<string, string | undefined>>): void {
  const problems = Object.entries(environment).flatMap(([name, value]) =>
    !ENDPOINT.test(name) || address.safeParse(value).success
      ? []
      : [
          `${name} must be an http or https address, such as http://127.0.0.1:8000 (got ${JSON.stringify(value)}).`,
        ],
  );
  if (problems.length > 0) throw new UsageError(problems.join(' '));
}

function explainMissing(table: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Error && error.name === 'ResourceNotFoundException'
      ? new Error(`The table ${table} does not exist: there is no state of any source.`, { cause: error })
      : error;
  };
}
