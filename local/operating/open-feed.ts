// Opens the stores that a command needs besides the sources' states (snapshots, ledger, marks), in the place that the
// flags name.
import { type Activities, createDynamoDbActivities } from '../../functions/adapters/dynamodb-activities.ts';
import { createDynamoDbLedger } from '../../functions/adapters/dynamodb-ledger.ts';
import { createDynamoDbMarks } from '../../functions/adapters/dynamodb-marks.ts';
import { createDynamoDbSnapshotStore } from '../../functions/adapters/dynamodb-snapshot-store.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import {
  DESTINATION_NAMES,
  type DestinationLabels,
  type DestinationTraits,
  traitsOf,
} from '../../shared/deployment/destinations.ts';
import type { WebhookRecord } from '../../shared/deployment/webhook-record.ts';
import type { Clock, Ledger, Log, SnapshotStore } from '../../shared/ports.ts';
import { createPresentGeneration, type PresentGeneration } from '../../shared/source/present-generation.ts';
import type { WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';
import { createPrinter } from '../cli/print.ts';
import { createTerminalLog } from '../cli/terminal-log.ts';
import { isBusNamed } from '../engines/engines.ts';
import { HANDED_OVER } from '../feed/handed-over.ts';
import { partOf } from './find-deployment.ts';
import { forwardedIds } from './list-webhook-states.ts';
import type { PlaceFlags } from './open-place.ts';
import { type OpenStates, withStates } from './open-states.ts';
import { listWebhooks } from './webhook-records.ts';

export interface OpenFeed extends OpenStates {
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly marks: WebhookMarks;
  readonly presentGeneration: PresentGeneration;
  readonly activities: Pick<Activities, 'load'>;
  readonly marksTable: string;
  /** The destinations that have marks. On one machine the marks of `watch` count the delivered events. */
  readonly destinations: readonly DestinationTraits[];
  /** The webhooks, which have marks too; on one machine the URLs that `watch` forwards to. */
  webhooks(): Promise<readonly WebhookLabels[]>;
  readonly clock: Clock;
  /** Warnings and errors go to stderr. */
  readonly log: Log;
}

export interface WebhookLabels extends DestinationLabels {
  /** Undefined where it is unknown: what `watch` forwards is its own option, and is not stored. */
  readonly filter: EventFilter | undefined;
}

const WATCH: DestinationTraits = {
  name: HANDED_OVER,
  mark: HANDED_OVER,
  title: '"watch"',
  getsReports: false,
};

/** On one machine there is a bus only where the environment names it, for `watch` as well as here. */
function localDestinations(): readonly DestinationTraits[] {
  return isBusNamed(process.env) ? [WATCH, traitsOf('bus')] : [WATCH];
}

/** Runs work on an open feed, and closes the feed even if the work fails. */
export function withFeed<Result>(
  flags: PlaceFlags,
  work: (feed: OpenFeed) => Promise<Result>,
): Promise<Result> {
  return withStates(flags, async (open) => {
    const { client, deployment, isLocal } = open;
    const marks = partOf(deployment, 'marks');
    const tables = { ...deployment, marks };
    const clock = createSystemClock();
    const err = createPrinter(process.stderr);
    return work({
      ...open,
      clock,
      store: createDynamoDbSnapshotStore({ client, tables, clock }),
      ledger: createDynamoDbLedger({ client, tables, clock }),
      marks: createDynamoDbMarks({ client, tables }),
      presentGeneration: createPresentGeneration(open.states),
      activities: createDynamoDbActivities({ client, tables }),
      marksTable: marks,
      destinations: isLocal ? localDestinations() : DESTINATION_NAMES.map(traitsOf),
      webhooks: () => webhookLabels(open),
      log: createTerminalLog({ write: (line) => void err.line(line).catch(() => {}) }),
    });
  });
}

async function webhookLabels({ isLocal, ...place }: OpenStates): Promise<WebhookLabels[]> {
  if (!isLocal) return (await listWebhooks(place.deployment)).map(labelsOfWebhook);
  return (await forwardedIds(place)).map(labelsOfForwarded);
}

export function labelsOfForwarded(id: string): WebhookLabels {
  return { name: id, mark: id, title: `the forwarded URL ${id}`, filter: undefined };
}

export function labelsOfWebhook({ id, filter }: Pick<WebhookRecord, 'id' | 'filter'>): WebhookLabels {
  return { name: id, mark: id, title: `the webhook ${id}`, filter };
}
