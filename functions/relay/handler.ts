// Each destination, and the pull feed, has two functions that run this file: `handler` on the ledger's stream, `sweep` once
// a day.
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { markOf, withheldFrom } from '../../shared/deployment/destinations.ts';
import type { LanePorts, RelayPorts } from '../../shared/publishing/lane.ts';
import { createRelay, type Relay } from '../../shared/publishing/relay.ts';
import { type SweepReport, sweepLedger } from '../../shared/publishing/sweep.ts';
import { createPositionRelay } from '../../shared/pulling/assign-positions.ts';
import { createPresentGeneration, type PresentGeneration } from '../../shared/source/present-generation.ts';
import { createDynamoDbClient, type TableAccess } from '../adapters/dynamodb-client.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbMarks } from '../adapters/dynamodb-marks.ts';
import { createDynamoDbPositionWriter } from '../adapters/dynamodb-position-writer.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { openDestination } from '../adapters/open-destination.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { reportBehind } from '../adapters/powertools-metrics.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { parseRelayEnvironment, type RelayEnvironment } from './relay-environment.ts';
import { relayRecords } from './relay-records.ts';

/** The time that a run may still need after its end: for the calls under way, and the last marks. */
const TIME_TO_FINISH_MS = 10_000;

interface Services {
  readonly ports: LanePorts & Pick<RelayPorts, 'clock'>;
  readonly relay: Relay;
  readonly metrics: Metrics;
  readonly presentGeneration: PresentGeneration;
}

let services: Services | undefined;

export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  services ??= createServices(parseRelayEnvironment(process.env));
  return relayRecords(reporting(services), services.ports.log, event.Records, timeLeft(context));
}

/** Reports groups that are behind. Only the sweep reports that there are none, because it alone sees all groups. */
function reporting({ relay, ports, metrics }: Services): Relay {
  return async (groups, timeLeftMs) => {
    const outcomes = await relay(groups, timeLeftMs);
    const behind = outcomes.filter(({ state }) => state === 'behind').length;
    if (behind > 0) reportBehind(metrics, ports.destination.name, behind);
    return outcomes;
  };
}

export async function sweep(_event: unknown, context: Context): Promise<SweepReport> {
  services ??= createServices(parseRelayEnvironment(process.env));
  const { ports, relay, metrics, presentGeneration } = services;
  const report = await sweepLedger({ ...ports, presentGeneration }, relay, timeLeft(context));
  if (report.complete || report.behind > 0) reportBehind(metrics, ports.destination.name, report.behind);
  return report;
}

function createServices(environment: RelayEnvironment): Services {
  const client = createDynamoDbClient();
  const clock = createSystemClock();
  const tables = {
    ledger: environment.LEDGER_TABLE,
    marks: environment.MARKS_TABLE,
    snapshots: environment.SNAPSHOTS_TABLE,
    sources: environment.SOURCES_TABLE,
  };
  const ports = {
    ledger: createDynamoDbLedger({ client, tables, clock }),
    marks: createDynamoDbMarks({ client, tables }),
    destination: { name: markOf(environment.DESTINATION) },
    clock,
    log: createPowertoolsLog(new Logger()),
    random: Math.random,
  };
  const presentGeneration = createPresentGeneration(createDynamoDbSourceStates({ client, tables, clock }));
  return {
    ports,
    relay: createRelayOf(environment, ports, { client, tables, clock }),
    metrics: new Metrics(),
    presentGeneration,
  };
}

function createRelayOf(
  environment: RelayEnvironment,
  ports: Omit<RelayPorts, 'destination'> & LanePorts,
  access: TableAccess<'marks'>,
): Relay {
  if (environment.DESTINATION === 'pull')
    return createPositionRelay({ ...ports, writer: createDynamoDbPositionWriter(access) });
  const address = 'TOPIC_ARN' in environment ? environment.TOPIC_ARN : environment.EVENT_BUS_NAME;
  const destination = openDestination(environment.DESTINATION, address);
  return createRelay({ ...ports, destination, withholds: withheldFrom(environment.DESTINATION) });
}

function timeLeft(context: Context): number {
  const remaining = context.getRemainingTimeInMillis();
  // A function with a shorter timeout than that must make progress as well.
  return Math.max(remaining - TIME_TO_FINISH_MS, remaining / 2);
}
