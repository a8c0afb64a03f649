// Opens the poller's stores on the feed's tables.
import { createDynamoDbActivities } from '../adapters/dynamodb-activities.ts';
import type { TableAccess } from '../adapters/dynamodb-client.ts';
import { createDynamoDbLedger } from '../adapters/dynamodb-ledger.ts';
import { createDynamoDbProgress } from '../adapters/dynamodb-progress.ts';
import { createDynamoDbSnapshotStore } from '../adapters/dynamodb-snapshot-store.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';

export function openPollerStores(access: TableAccess<'snapshots' | 'ledger' | 'sources'>) {
  return {
    states: createDynamoDbSourceStates(access),
    store: createDynamoDbSnapshotStore(access),
    ledger: createDynamoDbLedger(access),
    activities: createDynamoDbActivities(access),
    progress: createDynamoDbProgress(access),
  };
}
