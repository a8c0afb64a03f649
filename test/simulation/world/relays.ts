// The ledger's stream and its consumers, one relay per destination. Records arrive late, twice, out of order or never. A
// failed relay retries its records, and two relays of one destination may run at once.
import { FEED_GROUP } from '../../../shared/contract/event-id.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { RelayPorts } from '../../../shared/publishing/lane.ts';
import { createRelay, type Relay } from '../../../shared/publishing/relay.ts';
import type { StepOverPorts } from '../../../shared/publishing/step-over.ts';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import { createPresentGeneration } from '../../../shared/source/present-generation.ts';
import type { Arrivals } from './arrivals.ts';
import type { SimulatedProcess } from './process.ts';
import type { Inserted } from './stores.ts';
import type { World } from './world.ts';

export interface RelaySide {
  /** Puts a new entry of the ledger on the stream. */
  notice(inserted: Inserted): void;
  /** Compares the whole ledger with the marks, in a process of its own. */
  sweep(): Promise<void>;
}

interface StreamRecord {
  readonly key: GroupKey;
  readonly due: number;
}

const BATCH = 25;
const MOST_AT_ONCE = 2;
const RELAY_MS = 30_000;
const SWEEP_MS = 900_000;
/** The shortest time from an insert to its record. */
const SHORTEST_DELAY_MS = 40;

export function createRelaySide(world: World, arrivals: Arrivals): RelaySide {
  const { time, fates, trace, draws } = world;
  let waiting: StreamRecord[] = [];
  let running = 0;
  let wakesAt = Number.POSITIVE_INFINITY;
  let warm: { readonly process: SimulatedProcess; readonly relay: Relay } | undefined;

  function add(key: GroupKey, delayMs: number): void {
    const due = time.elapsed() + delayMs * MILLISECOND;
    waiting.push({ key, due });
    wakeAt(due);
  }

  function wakeAt(due: number): void {
    if (due >= wakesAt) return;
    wakesAt = due;
    void time.sleep((due - time.elapsed()) / MILLISECOND).then(() => {
      if (wakesAt === due) wakesAt = Number.POSITIVE_INFINITY;
      takeDue();
    });
  }

  function takeDue(): void {
    while (running < MOST_AT_ONCE) {
      const now = time.elapsed();
      const due = waiting.filter((record) => record.due <= now).slice(0, BATCH);
      if (due.length === 0) break;
      waiting = waiting.filter((record) => !due.includes(record));
      running += 1;
      void relay(due).then(() => {
        running -= 1;
        takeDue();
      });
      // Usually one relay reads the shard.
      if (!draws.relay.chance(0.2)) break;
    }
    const next = Math.min(...waiting.map((record) => record.due));
    if (running === 0 && waiting.length > 0) wakeAt(Math.max(next, time.elapsed() + MILLISECOND));
  }

  function start(): { process: SimulatedProcess; ports: RelayPorts & StepOverPorts; relay: Relay } {
    const process = world.startProcess(`relay-${arrivals.name}`);
    const { ledger, marks, states, destination } = world.portsOf(process);
    const ports: RelayPorts & StepOverPorts = {
      presentGeneration: createPresentGeneration(states),
      ledger,
      marks,
      destination: destination(arrivals),
      clock: process.clock,
      log: world.log,
      random: draws.relay.fraction,
      withholds: ({ group }) => arrivals.name === 'queue' && group === FEED_GROUP,
    };
    return { process, ports, relay: createRelay(ports) };
  }

  async function relay(records: readonly StreamRecord[]): Promise<void> {
    const keys = new Map(records.map(({ key }) => [formatGroupKey(key), key]));
    if (warm === undefined || !warm.process.isAlive) warm = start();
    const { process, relay } = warm;
    const groups = [...keys.values()];
    trace.note(process.name, 'records', () => [...keys.keys()].join(' '));
    const outcomes = await Promise.race([process.awake().then(() => relay(groups, RELAY_MS)), process.ended]);
    for (const [index, key] of groups.entries()) {
      const outcome = outcomes?.[index];
      trace.count(`relay ${outcome?.state ?? 'ended'}`);
      if (outcome === undefined || outcome.state === 'failed')
        add(key, 1_000 + draws.relay.fraction() * 5_000);
    }
  }

  return {
    notice({ key, shownFrom, at }) {
      if (fates.happens(`${arrivals.name} record lost`, 'recordLost')) return;
      const shownAfterMs = (shownFrom - at) / MILLISECOND;
      const isLate = fates.happens(`${arrivals.name} record late`, 'recordLate');
      const delay = SHORTEST_DELAY_MS + draws.relay.fraction() * (isLate ? 60_000 : 300);
      add(key, shownAfterMs + delay);
      if (fates.happens(`${arrivals.name} record doubled`, 'recordDoubled')) {
        add(key, shownAfterMs + delay + draws.relay.fraction() * 400_000);
      }
    },
    async sweep() {
      const { process, ports, relay } = start();
      trace.note(process.name, 'sweep');
      const report = await Promise.race([
        sweepLedger(ports, relay, SWEEP_MS).catch(() => undefined),
        process.ended,
      ]);
      trace.count(`sweep ${report?.complete ? 'complete' : 'ended early'}`);
    },
  };
}
