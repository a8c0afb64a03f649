// The ledger's stream and its readers, the relays to the ordered topic, with their daily sweep. Records come late,
// twice or never; a failed relay gets its records again.
import { withheldFrom } from '../../../shared/deployment/destinations.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey } from '../../../shared/ports.ts';
import type { RelayPorts } from '../../../shared/publishing/lane.ts';
import { createRelay } from '../../../shared/publishing/relay.ts';
import type { StepOverPorts } from '../../../shared/publishing/step-over.ts';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import type { Entry } from './ledger.ts';
import type { Topic } from './topic.ts';
import type { World } from './world.ts';

export interface RelaySide {
  /** Puts a new entry of the ledger on the stream. */
  notice(entry: Entry): void;
  sweep(): Promise<void>;
}

const BATCH = 25;
const MOST_AT_ONCE = 2;
const RELAY_MS = 30_000;
const SWEEP_MS = 900_000;
/** The time limit after which Lambda ends a function, also a frozen one. */
const OVERDUE_MS = 60_000;

export function createRelaySide(world: World, topic: Topic): RelaySide {
  const { time, fates, trace } = world;
  const random = world.randomFor('relays');
  let waiting: { readonly key: GroupKey; readonly due: number }[] = [];
  let running = 0;
  let started = 0;

  function add(key: GroupKey, afterMs: number): void {
    waiting.push({ key, due: time.elapsed() + Math.floor(afterMs * MILLISECOND) });
    void time.sleep(afterMs).then(takeDue);
  }

  function takeDue(): void {
    while (running < MOST_AT_ONCE) {
      const due = waiting.filter((record) => record.due <= time.elapsed()).slice(0, BATCH);
      if (due.length === 0) return;
      waiting = waiting.filter((record) => !due.includes(record));
      running += 1;
      void relay(due.map(({ key }) => key)).then(() => {
        running -= 1;
        takeDue();
      });
    }
  }

  function start(name: string) {
    started += 1;
    const { process, ledger, marks, presentGeneration } = world.startProcess(`${name}-${started}`);
    const ports: RelayPorts & StepOverPorts = {
      presentGeneration,
      ledger,
      marks,
      destination: topic.destination(process),
      clock: process.clock,
      log: world.log,
      random: random.fraction,
      withholds: withheldFrom('ordered'),
    };
    return { process, ports, relay: createRelay(ports) };
  }

  async function relay(records: readonly GroupKey[]): Promise<void> {
    const keys = [...new Map(records.map((key) => [formatGroupKey(key), key])).values()];
    const { process, relay } = start('relay');
    const over = new AbortController();
    const outcomes = await Promise.race([
      relay(keys, RELAY_MS),
      process.ended,
      time.sleep(OVERDUE_MS, over.signal).then(() => undefined),
    ]);
    over.abort();
    if (world.plan.endsOverdue) process.kill('over');
    for (const [index, key] of keys.entries()) {
      const outcome = outcomes?.[index];
      trace.count(`relay ${outcome?.state ?? 'ended'}`);
      if (outcome === undefined || outcome.state === 'failed') add(key, 1_000 + random.fraction() * 5_000);
    }
  }

  return {
    notice({ key, shownFrom, at }) {
      if (fates.happens('record lost', 'recordLost')) return;
      const delay = (shownFrom - at) / MILLISECOND + 20 + random.fraction() * 300;
      add(key, delay);
      if (fates.happens('record doubled', 'recordDoubled')) add(key, delay + random.fraction() * 400_000);
    },
    async sweep() {
      const { process, ports, relay } = start('topic-sweep');
      const swept = sweepLedger(ports, relay, SWEEP_MS).catch(() => undefined);
      const report = await Promise.race([swept, process.ended]);
      trace.count(`topic sweep ${report?.complete ? 'complete' : 'ended early'}`);
    },
  };
}
