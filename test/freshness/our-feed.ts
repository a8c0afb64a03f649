// The real poller, with a process that never ends and stores that never fail, because only its pace is measured. Ticks
// follow each other like those of `watch` (local/feed/run-watch.ts), or like those of a schedule in AWS.

import { longestTick, nextTick } from '../../local/feed/next-tick.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { pollSource } from '../../shared/poll-source.ts';
import type { Log } from '../../shared/ports.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import type { HttpTransport } from '../../shared/returns-service/http-transport.ts';
import { createSourceSession, type SourceSession } from '../../shared/source/source-session.ts';
import { type SourceSettings, sourceSettings } from '../../shared/source/source-settings.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';
import { createMemorySnapshotStore } from '../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates } from '../fakes/memory-source-states.ts';
import { type FreshnessWorld, slotAt } from './freshness-world.ts';
import type { StatusChange } from './measure.ts';

export interface OurFeed {
  readonly sightings: readonly StatusChange[];
  /** The number of requests sent when a walk over all groups completed, for each walk. */
  readonly walksEndedAt: readonly number[];
  /** Errors that ticks reported or threw. */
  readonly errors: readonly string[];
  state(): Promise<SourceState | undefined>;
  /** Resolves once the baseline is completed. */
  readonly isReady: Promise<void>;
  /** Ticks until it is stopped. */
  run(): Promise<void>;
  stop(): void;
}

export interface FeedOptions {
  readonly everyMs: number;
  readonly reconcileMs: number | undefined;
  readonly settleMs: number | undefined;
  readonly requestsPerMinute: number;
  /** `watch`: one tick after the other. `aws`: a tick at each slot, unless one is under way. */
  readonly schedule: 'watch' | 'aws';
}

const NAME = 'fresh';
const BASE_URL = 'https://returns.example/api';
/** The time limit of a tick in Lambda. */
const TICK_MS = 50_000;
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
const encoder = new TextEncoder();

export function createOurFeed(world: FreshnessWorld, options: FeedOptions): OurFeed {
  const { time } = world;
  const settings = settingsOf(options);
  const sightings: StatusChange[] = [];
  const errors: string[] = [];
  const stopping = new AbortController();
  const ledger = createMemoryLedger((_, event) => sightings.push(...sightingsOf(event, time.now())));
  const stores = { ledger, store: createMemorySnapshotStore(ledger), states: createMemorySourceStates() };
  const walks = watchWalks(stores, world);
  const session = createSession(world, settings, stores, stopping.signal);

  async function tick(slot: number, durationMs: number) {
    const report = await pollSource({ slot, durationMs }, session);
    if (report.error !== undefined && !stopping.signal.aborted) errors.push(report.error.message);
    return report;
  }

  /** As local/feed/run-watch.ts and source-ticks.ts. */
  async function watch(): Promise<void> {
    let lastSlot = 0;
    let next = slotAt(time);
    while (!stopping.signal.aborted) {
      await time.sleep(Math.max(0, next - slotAt(time)), stopping.signal);
      if (stopping.signal.aborted) return;
      lastSlot = Math.max(slotAt(time), lastSlot + 1);
      session.fresh.dueAt = Math.min(session.fresh.dueAt, time.now());
      const report = await tick(lastSlot, longestTick(settings));
      next = nextTick({ last: next, now: slotAt(time) }, settings, report);
    }
  }

  async function followSchedule(): Promise<void> {
    while (!stopping.signal.aborted) {
      const slot = slotAt(time);
      await tick(slot, TICK_MS);
      const missed = Math.floor((slotAt(time) - slot) / settings.intervalMs);
      const next = slot + (missed + 1) * settings.intervalMs;
      await time.sleep(next - slotAt(time), stopping.signal);
    }
  }

  return {
    sightings,
    walksEndedAt: walks.endedAt,
    errors,
    state: () => stores.states.load(NAME),
    isReady: walks.isReady,
    run: options.schedule === 'watch' ? watch : followSchedule,
    stop: () => stopping.abort(),
  };
}

function settingsOf({ everyMs, reconcileMs, settleMs, requestsPerMinute }: FeedOptions): SourceSettings {
  const given = Object.entries({ reconcileMs, settleMs }).filter(([, value]) => value !== undefined);
  return sourceSettings.parse({
    ...{ name: NAME, baseUrl: BASE_URL, intervalMs: everyMs, requestsPerMinute },
    ...Object.fromEntries(given),
  });
}

function createSession(
  { time, ask, service }: FreshnessWorld,
  settings: SourceSettings,
  stores: Stores,
  signal: AbortSignal,
): SourceSession {
  const transport: HttpTransport = async ({ url }) => {
    const [path = '', query = ''] = url.slice(BASE_URL.length).split('?');
    const before = time.elapsed();
    const { status, headers, body } = await ask(path, new URLSearchParams(query), purposeOf(query));
    const requestMs = (time.elapsed() - before) / MILLISECOND;
    return { status, headers, body: encoder.encode(body), requestMs };
  };
  return createSourceSession({
    ...{ ...stores, settings, signal, clock: time, log: SILENT },
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

function purposeOf(query: string): string {
  return query.includes('updated_at') ? 'poll' : 'reconciliation';
}

type Stores = Pick<SourceSession, 'ledger' | 'store' | 'states'>;

function* sightingsOf(event: FeedEvent, at: Instant): Generator<StatusChange> {
  const [kind, verb] = event.type.split('.');
  if (!('status' in event.data.object)) return;
  const { id, status } = event.data.object as { readonly id: number | string; readonly status: string };
  yield { at, entity: `${kind}/${id}`, status: verb === 'removed' ? undefined : status };
}

/** Notes the ends of the baseline and of walks over all groups when they are saved. */
function watchWalks({ states }: Stores, { exchanges }: FreshnessWorld) {
  const endedAt: number[] = [];
  const { save } = states;
  let last: Instant | undefined;
  let becomeReady = () => {};
  const isReady = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });
  states.save = async (state, expectedVersion) => {
    const result = await save(state, expectedVersion);
    if (result !== 'saved') return result;
    if (state.baselineAt !== undefined) becomeReady();
    const { readAt } = state.lanes.recent;
    if (readAt !== undefined && readAt !== last) endedAt.push(exchanges.length);
    last = readAt;
    return result;
  };
  return { endedAt, isReady };
}
