// The real poller, with a process that never ends and stores that never fail, because only its pace is measured.
import { longestTick, nextTick } from '../../local/feed/next-tick.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { pollSource } from '../../shared/poll-source.ts';
import type { Log } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import type { HttpTransport } from '../../shared/returns-service/http-transport.ts';
import { createSourceSession, type SourceSession } from '../../shared/source/source-session.ts';
import {
  type SourceSettings,
  sourceSettings,
  WALK_SHARE_OF_WATCH,
} from '../../shared/source/source-settings.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';
import { createMemorySnapshotStore } from '../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates } from '../fakes/memory-source-states.ts';
import type { RunningReader, VirtualWorld } from './bench-world.ts';
import type { Change } from './measure.ts';
import type { Setting } from './settings.ts';

const BASE_URL = 'https://returns.example/api';
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const encoder = new TextEncoder();

export function startFeedInVirtualTime(world: VirtualWorld): RunningReader {
  const { time } = world;
  const settings = settingsOf(world.setting);
  const sightings: Change[] = [];
  const errors = new Set<string>();
  const stopping = new AbortController();
  const ledger = createMemoryLedger((_, event) => sightings.push(...sightingsOf(event, time.now())));
  const session = createSession(world, settings, ledger, stopping.signal);
  let last: TickReport | undefined;
  let becomeReady = () => {};
  const isReady = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });

  /** As local/feed/run-watch.ts and source-ticks.ts. */
  async function watch(): Promise<void> {
    const now = () => Math.floor(time.now() / MILLISECOND);
    let lastSlot = 0;
    let next = now();
    for (;;) {
      await time.sleep(Math.max(0, next - now()), stopping.signal);
      if (stopping.signal.aborted) return;
      lastSlot = Math.max(now(), lastSlot + 1);
      last = await pollSource({ slot: lastSlot, durationMs: longestTick(settings) }, session);
      next = nextTick({ last: next, now: now() }, settings, last);
      if (last.error !== undefined && !stopping.signal.aborted) errors.add(`error: ${last.error.message}`);
      if (last.state?.baselineAt !== undefined) becomeReady();
    }
  }

  const running = watch();
  return {
    isReady: Promise.race([isReady, running]),
    sightings: () => sightings,
    notes: () => [...errors, ...(last?.state?.holds ?? []).map(({ kind }) => `held: ${kind}`)],
    stop() {
      stopping.abort();
      return running;
    },
  };
}

function settingsOf({
  everyMs,
  reconcileMs,
  settleMs,
  requestsPerMinute,
  baseline,
}: Setting): SourceSettings {
  return sourceSettings.parse({
    ...{
      name: 'fresh',
      baseUrl: BASE_URL,
      intervalMs: everyMs,
      requestsPerMinute,
      walkShare: WALK_SHARE_OF_WATCH,
    },
    ...(reconcileMs !== undefined && { reconcileMs }),
    ...(settleMs !== undefined && { settleMs }),
    ...(baseline !== undefined && { baseline }),
  });
}

function createSession(
  { time, ask, service }: VirtualWorld,
  settings: SourceSettings,
  ledger: ReturnType<typeof createMemoryLedger>,
  signal: AbortSignal,
): SourceSession {
  const transport: HttpTransport = async ({ url }) => {
    const [path = '', query = ''] = url.slice(BASE_URL.length).split('?');
    const before = time.elapsed();
    const { status, headers, body } = await ask(path, new URLSearchParams(query));
    const requestMs = (time.elapsed() - before) / MILLISECOND;
    return { status, headers, body: encoder.encode(body), requestMs };
  };
  return createSourceSession({
    ...{ settings, signal, clock: time, log: SILENT },
    ...{ ledger, store: createMemorySnapshotStore(ledger), states: createMemorySourceStates() },
    random: () => 0.5,
    client: (token) =>
      createReturnsServiceClient({
        ...{ baseUrl: settings.baseUrl, token, transport, timeoutMs: settings.requestTimeoutMs },
      }),
    secret: { read: async () => service.token },
    hashToken: (token) => token,
    place: undefined,
    owner: 'local',
  });
}

/** The status that an event shows, if it shows one. */
export function* sightingsOf(event: FeedEvent, at: Instant): Generator<Change> {
  const [kind, verb] = event.type.split('.');
  if (!('status' in event.data.object)) return;
  const { id, status } = event.data.object as { readonly id: number | string; readonly status: string };
  yield { at, entity: `${kind}/${id}`, state: verb === 'removed' ? undefined : status };
}
