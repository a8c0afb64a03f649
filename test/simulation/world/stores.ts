// The stores, which outlive all processes: snapshots, ledger, marks, states, budgets and the destinations. A run has one of
// each, and each process calls them through its own ports (ports.ts).
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { type Instant, MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import { createMemoryLedger, type MemoryLedger } from '../../fakes/memory-ledger.ts';
import { createMemoryMarks, type MemoryMarks } from '../../fakes/memory-marks.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '../../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates, type MemorySourceStates } from '../../fakes/memory-source-states.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';

export interface Inserted {
  readonly key: GroupKey;
  readonly event: FeedEvent;
  readonly at: Instant;
  /** When it becomes visible to readers. The entries of one transaction may appear one by one. */
  readonly shownFrom: Instant;
}

export interface Stores {
  readonly snapshots: MemorySnapshotStore;
  readonly ledger: MemoryLedger;
  readonly marks: MemoryMarks;
  readonly states: MemorySourceStates;
  readonly queue: Arrivals;
  readonly bus: Arrivals;
  /** Every entry that was added to the ledger, in order. */
  readonly inserted: readonly Inserted[];
  isShown(event: FeedEvent): boolean;
}

const DEDUPLICATES_FOR = 5 * 60 * 1_000 * MILLISECOND;
/** The last milliseconds of a transaction, in which a reader may see half of it. */
const HALF_SEEN_FOR = 30 * MILLISECOND;

/**
 * @param fraction from 0 to below 1; decides when each entry shows
 * @param onInsert called for each new entry of the ledger
 */
export function createStores(
  time: VirtualClock,
  fraction: () => number,
  onInsert: (inserted: Inserted) => void,
): Stores {
  const inserted: Inserted[] = [];
  const shownFrom = new Map<FeedEvent, Instant>();
  const ledger = createMemoryLedger((key, event) => {
    const at = time.now();
    const entry = { key, event, at, shownFrom: at + Math.floor(fraction() * HALF_SEEN_FOR) };
    inserted.push(entry);
    shownFrom.set(event, entry.shownFrom);
    onInsert(entry);
  });
  return {
    snapshots: createMemorySnapshotStore(ledger),
    ledger,
    marks: createMemoryMarks(),
    states: createMemorySourceStates(),
    queue: createArrivals('queue', () => time.now(), DEDUPLICATES_FOR),
    bus: createArrivals('bus', () => time.now(), 0),
    inserted,
    isShown: (event) => (shownFrom.get(event) ?? 0) <= time.now(),
  };
}
