// What the sender of whole returns reads instead of the ledger: at most one message of a return, made when it is read. So
// nothing waiting is stored, a receiver that was away gets each changed return once, and all else about delivery is as
// for events. The state and the changes are of one moment: the snapshot has the same version before and after the changes
// are read.
import type { Snapshot } from '../comparing/snapshot.ts';
import type { Shipment } from '../contract/entities.ts';
import type { FeedEvent } from '../contract/event.ts';
import { type EventFilter, matchesFilter } from '../contract/event-filter.ts';
import { isOwnGroup } from '../contract/event-id.ts';
import { MAX_CHANGES, type ReturnChanged } from '../contract/return-message.ts';
import { hasText, isTracked } from '../contract/tracked-shipment.ts';
import { RELAY_READ_EVENTS } from '../limits.ts';
import type { Clock, GroupKey, Ledger, LedgerEntry, SnapshotStore } from '../ports.ts';
import type { RelayPorts } from '../publishing/lane.ts';
import { type ChangesSince, makeReturnMessage } from './make-return-message.ts';

export interface ReturnLedgerPorts {
  readonly ledger: Ledger;
  readonly snapshots: Pick<SnapshotStore, 'load'>;
  readonly filter: EventFilter;
  readonly clock: Clock;
}

/** Numbers that are missing are half of a transaction, which shows within milliseconds, or lost. */
const READS = 6;
const UNTIL_WHOLE_MS = 200;

/**
 * Returns the ports of a relay that sends a return's message. Its number is that of the last event in it.
 *
 * @throws (`read`) if the return changed during every read
 */
export function createReturnLedger(
  ports: ReturnLedgerPorts,
): Pick<RelayPorts, 'ledger' | 'admits' | 'passesGaps'> {
  const { ledger, clock } = ports;
  let isAdmitted = false;
  return {
    passesGaps: true,
    admits: () => isAdmitted,
    ledger: {
      ...ledger,
      async read(key, mark) {
        if (isOwnGroup(key.group)) return [];
        for (let read = 1; read <= READS; read += 1) {
          const snapshot = await load(ports, key, key.group);
          if (snapshot === undefined || snapshot.sequence <= mark) return [];
          const changes = await readChanges(ports, key, mark, snapshot.sequence);
          const now = await load(ports, key, key.group);
          if (now?.version !== snapshot.version) continue;
          if (changes.isIncomplete && read < READS) {
            await clock.sleep(UNTIL_WHOLE_MS);
            continue;
          }
          // What is missing may have been a change that passes.
          isAdmitted = changes.isIncomplete || (changes.passes && passesTracking(ports, snapshot, changes));
          return [entryOf(makeReturnMessage(key, snapshot, changes))];
        }
        throw new Error('The return changed whenever it was read.');
      },
    },
  };
}

async function load({ snapshots }: ReturnLedgerPorts, key: GroupKey, group: number) {
  return (await snapshots.load(key, [group])).get(group);
}

/** A relay only carries it. */
function entryOf(message: ReturnChanged): LedgerEntry {
  return { sequence: message.data.sequence, event: message as unknown as FeedEvent };
}

interface ReadChanges extends ChangesSince {
  /** Whether a number is missing, or an event can't be decoded. */
  readonly isIncomplete: boolean;
  /** Whether the filter passes one of them. */
  readonly passes: boolean;
  /** Whether one of them shows that the return has or had a tracking number. */
  readonly showTracking: boolean;
}

/**
 * A return that has lost its tracking number passes once more: its receiver has to know. So does one that was removed or
 * forgotten, of which nothing shows whether it had one.
 */
function passesTracking(
  { filter }: ReturnLedgerPorts,
  { projection, removedAt }: Snapshot,
  { showTracking }: ReadChanges,
): boolean {
  if (!filter.hasTracking || removedAt !== undefined) return true;
  return showTracking || (projection.shipments ?? []).some(isTracked);
}

/** Only shipments have one. */
function showsTracking({ data }: FeedEvent): boolean {
  const { object, previous_attributes: previous } = data as Readonly<Record<string, Partial<Shipment>>>;
  return hasText(object?.tracking_number) || hasText(previous?.tracking_number);
}

/** Reads the events after the mark up to a number. */
async function readChanges(
  { ledger, filter }: ReturnLedgerPorts,
  key: GroupKey,
  mark: number,
  through: number,
): Promise<ReadChanges> {
  const newest: FeedEvent[] = [];
  let [last, count, passes, isNew, showTracking] = [mark, 0, false, false, false];
  while (last < through) {
    const entries = await ledger.read(key, last, RELAY_READ_EVENTS);
    if (entries.length === 0) break;
    last = entries.at(-1)?.sequence ?? through;
    for (const entry of entries) {
      if (!('event' in entry) || entry.sequence > through) continue;
      const { event } = entry;
      count += 1;
      passes ||= matchesFilter(filter, event);
      showTracking ||= showsTracking(event);
      isNew ||= event.type === 'return_group.created';
      newest.push(event);
      if (newest.length > MAX_CHANGES) newest.shift();
    }
  }
  const isIncomplete = count < through - mark;
  return { newest, isNew, passes, showTracking, isIncomplete, isCut: isIncomplete || count > MAX_CHANGES };
}
