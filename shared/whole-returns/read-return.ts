// Reads a whole return as one message, made when it is read: nothing of it is stored, so a late receiver gets the newest
// state alone. The state and the changes are of one moment: the snapshot has the same version before and after the changes
// are read.
import type { Snapshot } from '../comparing/snapshot.ts';
import type { Shipment } from '../contract/entities.ts';
import type { FeedEvent } from '../contract/event.ts';
import { type EventFilter, matchesFilter } from '../contract/event-filter.ts';
import { isOwnGroup } from '../contract/event-id.ts';
import { MAX_CHANGES, type ReturnChanged } from '../contract/return-message.ts';
import { hasText, isTracked } from '../contract/tracked-shipment.ts';
import { RELAY_READ_EVENTS } from '../limits.ts';
import type { Clock, GroupKey, Ledger, SnapshotStore } from '../ports.ts';
import { type ChangesSince, makeReturnMessage } from './make-return-message.ts';

export interface ReturnPorts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly snapshots: Pick<SnapshotStore, 'load'>;
  readonly filter: EventFilter;
  readonly clock: Pick<Clock, 'sleep'>;
}

export interface ReadReturn {
  readonly message: ReturnChanged;
  /** Whether the filter passes one of the changes. */
  readonly isAdmitted: boolean;
}

/** What is missing is half of a transaction, which shows within milliseconds, or lost. */
const READS = 6;
const UNTIL_WHOLE_MS = 200;

/**
 * Returns the message of a return with the changes after a number. Its own number is that of the last event in it.
 *
 * @param known the number of an event that was read: the state has it, or is half of a transaction, or lost
 * @returns undefined if the state has no later number
 * @throws if the return changed during every read
 */
export async function readReturn(
  ports: ReturnPorts,
  key: GroupKey,
  after: number,
  known = 0,
): Promise<ReadReturn | undefined> {
  if (isOwnGroup(key.group)) return undefined;
  for (let read = 1; read <= READS; read += 1) {
    const snapshot = await load(ports, key, key.group);
    const sequence = snapshot?.sequence ?? 0;
    if (sequence < known && read < READS) {
      await ports.clock.sleep(UNTIL_WHOLE_MS);
      continue;
    }
    if (snapshot === undefined || sequence <= after) return undefined;
    const changes = await readChanges(ports, key, after, sequence);
    const now = await load(ports, key, key.group);
    if (now?.version !== snapshot.version) continue;
    if (changes.isIncomplete && read < READS) {
      await ports.clock.sleep(UNTIL_WHOLE_MS);
      continue;
    }
    // What is missing may have been a change that passes.
    const isAdmitted = changes.isIncomplete || (changes.passes && passesTracking(ports, snapshot, changes));
    return { message: makeReturnMessage(key, snapshot, changes), isAdmitted };
  }
  throw new Error('The return changed whenever it was read.');
}

async function load({ snapshots }: ReturnPorts, key: GroupKey, group: number) {
  return (await snapshots.load(key, [group])).get(group);
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
  { filter }: ReturnPorts,
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
  { ledger, filter }: ReturnPorts,
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
