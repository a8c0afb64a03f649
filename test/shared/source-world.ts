// A source with its environment: a reference service in virtual time, stores in memory, and processes that poll. Tests
// can count and change the requests and loads of a process.
import {
  createInProcessService,
  type InProcessServiceOptions,
} from '../../local/reference-service/in-process-service.ts';
import type { Answer, ServiceRequest } from '../../local/reference-service/service/answer.ts';
import type { ShownGroup } from '../../local/reference-service/showing/show-group.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { type Instant, MILLISECOND } from '../../shared/instant.ts';
import { pollSource } from '../../shared/poll-source.ts';
import type { GroupKey, LogFields, SnapshotStore } from '../../shared/ports.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import { type HttpTransport, TransportFailure } from '../../shared/returns-service/http-transport.ts';
import {
  createSourceSession,
  type SourceServices,
  type SourceSession,
} from '../../shared/source/source-session.ts';
import { type SourceSettings, sourceSettings } from '../../shared/source/source-settings.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates } from '../fakes/memory-source-states.ts';
import { createVirtualClock, VIRTUAL_START } from '../fakes/virtual-clock.ts';

export const BASE_URL = 'https://returns.example/api';
export const SOURCE = 'acme';
const TICK_MS = 50_000;

export interface SourceWorldOptions extends InProcessServiceOptions {
  readonly settings?: Partial<SourceSettings>;
  /** Time for each answer. @default 20 */
  readonly latencyMs?: number;
}

/** The network between a process and the service. */
interface Network {
  /** The content of the processes' secret. */
  token: string;
  /** Replaces the service's answer, unless it returns undefined. */
  intercept: ((request: ServiceRequest) => Answer | undefined) | undefined;
  /** Called before each request leaves. */
  onRequest: ((request: ServiceRequest) => void | Promise<void>) | undefined;
}

export type SourceWorld = ReturnType<typeof createSourceWorld>;

export function createSourceWorld({ settings, latencyMs = 20, ...service }: SourceWorldOptions = {}) {
  const time = createVirtualClock(VIRTUAL_START);
  const reference = createInProcessService({
    groups: 40,
    life: false,
    clock: {
      now: () => time.now(),
      advance() {
        throw new Error('Only the virtual clock may advance this time.');
      },
    },
    ...service,
  });
  const newest = reference.control.create().groupId;
  const ledger = createMemoryLedger();
  const store = createMemorySnapshotStore(ledger);
  const states = createMemorySourceStates();
  const counts = { loads: 0, loaded: 0, saves: 0 };
  const logged: { readonly message: string; readonly fields: LogFields | undefined }[] = [];
  const note = (message: string, fields?: LogFields) => void logged.push({ message, fields });
  const network: Network = { token: reference.token, intercept: undefined, onRequest: undefined };
  // Off by default: only tests of feed.source_read need it.
  const parsed = sourceSettings.parse({ name: SOURCE, baseUrl: BASE_URL, sourceRead: false, ...settings });

  const slot = () => Math.floor(time.now() / MILLISECOND);

  async function state(): Promise<SourceState> {
    const known = await states.load(SOURCE);
    if (known === undefined) throw new Error('There is no state yet.');
    return known;
  }

  async function source() {
    return { source: SOURCE, generation: (await state()).generation };
  }

  async function eventsOf(key: GroupKey): Promise<FeedEvent[]> {
    const entries = await ledger.read(key, 0, 10_000);
    return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
  }

  /** Runs one tick to its end. */
  function tick(
    session: SourceSession,
    options: Partial<Parameters<typeof pollSource>[0]> = {},
  ): Promise<TickReport> {
    return time.run(pollSource({ slot: slot(), durationMs: TICK_MS, ...options }, session));
  }

  /** All groups, in the order of their creation. */
  function shownOldestFirst(): ShownGroup[] {
    return reference.control
      .snapshot()
      .sort((a, b) => String(a.created_at).localeCompare(String(b.created_at)));
  }

  const transport: HttpTransport = async ({ url, headers, timeoutMs, maxBytes }) => {
    const { pathname, searchParams } = new URL(url);
    const request: ServiceRequest = {
      path: pathname.slice(new URL(BASE_URL).pathname.length),
      query: searchParams,
      token: headers['X-Service-Api-Token'],
    };
    await network.onRequest?.(request);
    const answer = network.intercept?.(request) ?? reference.service.answer(request);
    const tookMs = answer.delivery === 'hang' ? timeoutMs : latencyMs + answer.afterMs;
    await time.sleep(tookMs);
    if (answer.delivery === 'hang') throw new TransportFailure('timeout', `no answer in ${timeoutMs} ms`);
    if (answer.delivery !== 'whole')
      throw new TransportFailure('connection', 'reset', { code: 'ECONNRESET' });
    const body = new TextEncoder().encode(answer.body);
    if (body.byteLength > maxBytes) throw new TransportFailure('too-large', `more than ${maxBytes} bytes`);
    return {
      status: answer.status,
      headers: answer.headers,
      body,
      requestMs: tookMs,
    };
  };
  return {
    time,
    settings: parsed,
    reference,
    control: reference.control,
    ledger,
    store,
    states,
    counts,
    logged,
    network,
    /** The group that was created as the world began. */
    newest,

    /** Starts a process. It keeps its memory from tick to tick. */
    startProcess(owner: string, others: Partial<SourceServices> = {}): SourceSession {
      return createSourceSession({
        settings: parsed,
        states,
        store: counting(store, counts),
        ledger,
        clock: time,
        log: { debug: note, info: note, warn: note, error: note },
        random: () => 0.5,
        client: (token) =>
          createReturnsServiceClient({
            baseUrl: BASE_URL,
            token,
            transport,
            timeoutMs: parsed.requestTimeoutMs,
            include: parsed.include,
          }),
        secret: { read: async () => network.token },
        hashToken: (token) => `hash-of-${token.length}`,
        place: ' --stack ReturnsFeed',
        owner,
        ...others,
      });
    },
    slot,
    tick,
    /** Advances the time by `afterMs` and runs a tick. */
    async nextTick(session: SourceSession, afterMs = 60_000): Promise<TickReport> {
      await time.advance(afterMs * MILLISECOND);
      return tick(session);
    },
    state,
    source,
    /** All events so far: groups in no order, the events of one group in their order. */
    async events(): Promise<FeedEvent[]> {
      const all: FeedEvent[] = [];
      for await (const { key } of ledger.groups()) all.push(...(await eventsOf(key)));
      return all;
    },
    async feedEvents(): Promise<FeedEvent[]> {
      return eventsOf({ ...(await source()), group: FEED_GROUP });
    },
    async groupEvents(group: number): Promise<FeedEvent[]> {
      return eventsOf({ ...(await source()), group });
    },
    shownOldestFirst,
    /** The ids of all groups, in the order of their creation. */
    oldestFirst: () => shownOldestFirst().map(({ id }) => Number(id)),
    /** Some group that has a shipment. */
    someGroup(): number {
      const group = reference.control.snapshot().find(({ shipments }) => shipments.length > 0);
      return Number(group?.id);
    },
    /** Changes a group. @param stamp its new stamp; by default the present time */
    change(groupId: number, stamp?: Instant): void {
      reference.control.mutate(groupId, (draft) => {
        draft.return_outcome = draft.return_outcome === 'credit' ? 'refund' : 'credit';
        if (stamp !== undefined) draft.updated_at = stamp;
      });
    },
    /** From now on these requests get no answer, and all others get theirs. */
    hang(isMeant: (query: URLSearchParams) => boolean): void {
      network.intercept = ({ query }) =>
        isMeant(query) ? { status: 200, headers: {}, body: '', delivery: 'hang', afterMs: 0 } : undefined;
    },
    setShipment(groupId: number, status: string): void {
      reference.control.mutate(groupId, (draft) => {
        const [shipment] = draft.shipments;
        if (shipment !== undefined) shipment.status = status;
      });
    },
    /** The requests that the service received, oldest first. */
    requests: reference.control.requests,
  };
}

function counting(
  store: MemorySnapshotStore,
  counts: { loads: number; loaded: number; saves: number },
): SnapshotStore {
  return {
    ...store,
    load(source, groups) {
      counts.loads += 1;
      counts.loaded += groups.length;
      return store.load(source, groups);
    },
    save(key, save) {
      counts.saves += 1;
      return store.save(key, save);
    },
    saveAll(source, saves) {
      counts.saves += saves.length;
      return store.saveAll(source, saves);
    },
  };
}
