// The pull feed behind a function URL. Lambda gives a process one request at a time, so a long poll takes a process of its
// own, and bounds of requests hold for a process: the function's reserved concurrency bounds them all.
import { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyStructuredResultV2, LambdaFunctionURLEvent } from 'aws-lambda';
import type { Log } from '../../shared/ports.ts';
import { createPullAnswers, type PullRequest } from '../../shared/pulling/answer-pull.ts';
import { problem, type ReadAnswer } from '../../shared/pulling/answer-read.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbPositions } from '../adapters/dynamodb-positions.ts';
import { createDynamoDbReaders } from '../adapters/dynamodb-readers.ts';
import { createDynamoDbSnapshotStore } from '../adapters/dynamodb-snapshot-store.ts';
import { listSources } from '../adapters/dynamodb-source-list.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { hashToken } from '../adapters/token-hash.ts';
import { toRequest, toResult } from './function-url.ts';
import { parsePullEnvironment } from './pull-environment.ts';

interface Services {
  readonly answer: (request: PullRequest) => Promise<ReadAnswer>;
  readonly log: Log;
}

let services: Services | undefined;

export async function handler(event: LambdaFunctionURLEvent): Promise<APIGatewayProxyStructuredResultV2> {
  services ??= createServices();
  const { answer, log } = services;
  try {
    return toResult(await answer(toRequest(event)));
  } catch (error) {
    log.error('A request could not be answered.', { error: error as Error });
    return toResult(problem(503, 'The feed could not answer.', { 'retry-after': '5' }));
  }
}

function createServices(): Services {
  const environment = parsePullEnvironment(process.env);
  const tables = {
    ledger: environment.LEDGER_TABLE,
    marks: environment.MARKS_TABLE,
    snapshots: environment.SNAPSHOTS_TABLE,
    sources: environment.SOURCES_TABLE,
  };
  const [client, clock] = [createDynamoDbClient(), createSystemClock()];
  const access = { client, tables, clock };
  const [ledger, snapshots] = [createDynamoDbLedger(access), createDynamoDbSnapshotStore(access)];
  const answer = createPullAnswers({
    positions: createDynamoDbPositions({ ...access, ledger, snapshots }),
    readers: createDynamoDbReaders(access),
    ...{ ledger, snapshots, states: createDynamoDbSourceStates(access), clock, hashToken },
    sources: () => listSources(client, tables.sources),
  });
  return { answer, log: createPowertoolsLog(new Logger()) };
}
