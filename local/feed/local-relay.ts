// A relay as it runs in Lambda, woken by the ledger's stream.
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { relayRecords } from '../../functions/relay/relay-records.ts';
import type { RelayPorts } from '../../shared/publishing/lane.ts';
import { createRelay } from '../../shared/publishing/relay.ts';
import { sweepLedger } from '../../shared/publishing/sweep.ts';
import type { EventSourceMapping } from '../engines/event-source-mapping.ts';
import { pollStream } from '../engines/poll-stream.ts';
import { LOCAL_TABLES } from './local-tables.ts';

const RELAY_MS = 30_000;
const SWEEP_MS = 600_000;

export interface LocalRelay extends EventSourceMapping {
  /** Sends what was left unsent by an earlier process. */
  sweep(): Promise<void>;
}

/** Starts to relay the events that are saved from now on. Once it is idle it has found the end of the stream. */
export function startLocalRelay(
  client: DynamoDBStreamsClient,
  ports: RelayPorts,
  onError: (error: unknown) => void,
): LocalRelay {
  const relay = createRelay(ports);
  const mapping = pollStream({
    client,
    tableName: LOCAL_TABLES.ledger,
    handler: (event) => relayRecords(relay, ports.log, event.Records, RELAY_MS),
    clock: ports.clock,
    onError,
    // A sweep sends the unsent events. The engine keeps all records, so TRIM_HORIZON would read them all.
    startingPosition: 'LATEST',
    filters: [{ eventName: ['INSERT'] }],
  });
  return {
    ...mapping,
    async sweep() {
      await sweepLedger(ports, relay, SWEEP_MS);
    },
  };
}
