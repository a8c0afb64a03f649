// Opens what a command needs besides the sources' states: snapshots, ledger and marks, where the flags say.

import { createDynamoDbLedger } from '../../functions/adapters/dynamodb-ledger.ts';
import { createDynamoDbMarks } from '../../functions/adapters/dynamodb-marks.ts';
import { createDynamoDbSnapshotStore } from '../../functions/adapters/dynamodb-snapshot-store.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { DESTINATION_NAMES, type DestinationLabels, labelsOf } from '../../shared/deployment/destinations.ts';
import type { Clock, Ledger, Log, Marks, SnapshotStore } from '../../shared/ports.ts';
import { createPrinter } from '../cli/print.ts';
import { createTerminalLog } from '../cli/terminal-log.ts';
import { HANDED_OVER } from '../feed/handed-over.ts';
import { partOf } from './find-deployment.ts';
import type { PlaceFlags } from './open-place.ts';
import { type OpenStates, withStates } from './open-states.ts';

export interface OpenFeed extends OpenStates {
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly marks: Marks;
  readonly marksTable: string;
  /** The destinations that have marks. On one machine the marks of `watch` count the delivered events. */
  readonly destinations: readonly DestinationLabels[];
  readonly clock: Clock;
  /** Warnings and errors go to stderr. */
  readonly log: Log;
}

const LOCAL_DESTINATIONS: readonly DestinationLabels[] = [
  { name: HANDED_OVER, mark: HANDED_OVER, title: '"watch"' },
  labelsOf('bus'),
];

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
      marksTable: marks,
      destinations: isLocal ? LOCAL_DESTINATIONS : DESTINATION_NAMES.map(labelsOf),
      log: createTerminalLog((line) => void err.line(line).catch(() => {}), false),
    });
  });
}
