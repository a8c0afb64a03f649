// Many sources in one feed, in virtual time: the dispatcher, both queues, several processes of the poller, a small service
// for each source, and stores in memory. Some services hang, fail, or remove most of their returns, and some processes end
// in the middle of a shard. Nothing here is drawn but by the seed.
import type { SQSEvent } from 'aws-lambda';
import type { DirectoryEntry } from '../../functions/adapters/dynamodb-source-directory.ts';
import type { QueueMessage, SendMessages } from '../../functions/adapters/message-queue.ts';
import { createDispatcher } from '../../functions/dispatcher/create-dispatcher.ts';
import { createPoller, type Poller } from '../../functions/poller/create-poller.ts';
import {
  createInProcessService,
  type InProcessService,
} from '../../local/reference-service/in-process-service.ts';
import { createRandom, mix } from '../../local/reference-service/store/seeded-random.ts';
import { MINUTE_MS } from '../../shared/dispatching/plan-minute.ts';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Log, SnapshotStore, SourceStates } from '../../shared/ports.ts';
import { type HttpTransport, TransportFailure } from '../../shared/returns-service/http-transport.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { createMemoryDispatches, createMemoryProgress } from '../fakes/memory-dispatches.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';
import { createMemorySnapshotStore } from '../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates } from '../fakes/memory-source-states.ts';
import { createVirtualClock } from '../fakes/virtual-clock.ts';

export interface ManySourcesOptions {
  readonly seed: number;
  readonly sources: number;
  /** Of its returns at the start. */
  readonly groups: number;
  readonly kindOf: (at: number) => Kind;
}

/** What a source's service does while it is disturbed. */
export type Kind = 'well' | 'hangs' | 'fails' | 'is huge' | 'removes most';

export interface SimulatedSource {
  readonly name: string;
  readonly kind: Kind;
  readonly service: InProcessService;
}

const LATENCY_MS = 300;
const VISIBLE_AFTER_MS = 120_000;
const LONGEST_MS = 60_000;
/** As the function: time to work, and at most so many messages of each queue at once. */
const WORK_MS = 45_000;
const AT_ONCE = { quick: 20, long: 80 } as const;
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export function createManySources({ seed, sources: count, groups, kindOf }: ManySourcesOptions) {
  const time = createVirtualClock();
  const random = createRandom(mix(seed, 301));
  const stores = { states: createMemorySourceStates(), ledger: createMemoryLedger() };
  const store = createMemorySnapshotStore(stores.ledger);
  const [progress, dispatches] = [createMemoryProgress(), createMemoryDispatches()];
  const clock = { now: () => time.now(), advance: unmovable };
  const sources = Array.from({ length: count }, (_, at): SimulatedSource => {
    const kind = kindOf(at);
    const own = groups * (kind === 'is huge' || kind === 'removes most' ? 20 : 1);
    const service = createInProcessService({ groups: own, life: false, seed: mix(seed, at), clock });
    return { name: `s${at}`, kind, service };
  });
  const byName = new Map(sources.map((source) => [source.name, source]));
  const entries = sources.map(
    ({ name }): DirectoryEntry => ({
      ...{ name, version: 1, declaredBy: 'command', isPaused: false, alarm: false },
      settings: settingsOf(name),
      token: { secretId: name },
      given: { settings: settingsOf(name), token: { secretId: name } },
    }),
  );
  let isDisturbed = false;
  /** The share of messages in the middle of which the process ends. */
  let ending = 0;
  const polledAt = new Map<string, number[]>();
  const faults: string[] = [];

  const transport: HttpTransport = async ({ url, headers, timeoutMs, maxBytes }) => {
    const { hostname, pathname, searchParams: query } = new URL(url);
    const source = byName.get(hostname.split('.')[0] ?? '');
    if (source === undefined) throw new Error(`No source has the address ${url}.`);
    if (isDisturbed && source.kind === 'hangs') {
      await time.sleep(timeoutMs);
      throw new TransportFailure('timeout', `no answer in ${timeoutMs} ms`);
    }
    await time.sleep(LATENCY_MS);
    if (isDisturbed && source.kind === 'fails') return toAnswer(503, '{}');
    const path = pathname.slice('/api'.length);
    const answer = source.service.service.answer({ path, query, token: headers['X-Service-Api-Token'] });
    if (answer.body.length > maxBytes) throw new TransportFailure('too-large', `more than ${maxBytes} bytes`);
    return { ...toAnswer(answer.status, answer.body), headers: answer.headers };
  };

  /** A process of the poller. Nothing that it does has an effect once it has ended. */
  function startProcess(owner: string): { readonly poll: Poller; end(): void } {
    let isAlive = true;
    const whileAlive =
      <Arguments extends unknown[], Result>(work: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments): Promise<Result> => {
        if (!isAlive) return new Promise(() => {});
        const result = await work(...args);
        return isAlive ? result : new Promise(() => {});
      };
    const states: SourceStates = {
      ...stores.states,
      save: whileAlive(stores.states.save),
      load: whileAlive(stores.states.load),
    };
    const guarded: SnapshotStore = {
      ...store,
      load: whileAlive(store.load),
      save: whileAlive(async (key, save) => {
        const lease = (await stores.states.load(key.source))?.lease;
        if (lease?.owner !== owner) faults.push(`${owner} saves ${key.source} without its lease`);
        return store.save(key, save);
      }),
      saveAll: whileAlive(store.saveAll),
    };
    const poll = createPoller({
      ...{ states, store: guarded, ledger: stores.ledger, progress, owner, clock: time, log: SILENT },
      activities: { load: async () => undefined, save: async () => {} },
      transport: whileAlive(transport),
      place: undefined,
      findSource: async (name) => ({
        settings: settingsOf(name),
        isPaused: false,
        secret: { place: name, read: async () => byName.get(name)?.service.token ?? '' },
      }),
      sendLong: whileAlive(queues.long.send),
      onReport: ({ source, outcome }) => void (outcome === 'done' && notePolled(source)),
      onShard: ({ ticks }) => {
        for (const { report } of ticks)
          if (report.outcome === 'quiet' || report.outcome === 'saved') notePolled(report.source);
      },
    });
    return {
      poll,
      end() {
        isAlive = false;
      },
    };
  }

  function notePolled(source: string): void {
    const known = polledAt.get(source) ?? [];
    polledAt.set(source, [...known, time.elapsed()]);
  }

  const idle: ReturnType<typeof startProcess>[] = [];
  let started = 0;

  /** Delivers messages, at most so many at once; a message whose process has ended comes again. */
  function createQueue(atOnce: number): { readonly send: SendMessages } {
    const waiting: { readonly body: string; tries: number }[] = [];
    let underWay = 0;
    function deliver(): void {
      while (underWay < atOnce && waiting.length > 0) {
        const message = waiting.shift();
        if (message === undefined) return;
        underWay += 1;
        message.tries += 1;
        void handle(message).finally(() => {
          underWay -= 1;
          deliver();
        });
      }
    }
    async function handle(message: { readonly body: string; tries: number }): Promise<void> {
      started += 1;
      const process = idle.pop() ?? startProcess(`poller-${started}`);
      const attributes = { ApproximateReceiveCount: String(message.tries) };
      const event = { Records: [{ body: message.body, attributes }] } as SQSEvent;
      const isEnding = random.chance(ending);
      const endsAfter = isEnding ? random.fraction() * 2_000 : LONGEST_MS;
      const outcome = await Promise.race([
        process.poll(event, WORK_MS).then(
          () => 'done' as const,
          () => 'failed' as const,
        ),
        time.sleep(endsAfter).then(() => 'ended' as const),
      ]);
      if (outcome === 'ended') process.end();
      else idle.push(process);
      if (outcome === 'done') return;
      void time.sleep(VISIBLE_AFTER_MS).then(() => {
        if (message.tries < 3) waiting.push(message);
        deliver();
      });
    }
    const put = (body: string) => {
      waiting.push({ body, tries: 0 });
      deliver();
    };
    return {
      async send(messages: readonly QueueMessage[]) {
        for (const { body, delaySeconds = 0 } of messages)
          if (delaySeconds === 0) put(body);
          else void time.sleep(delaySeconds * 1_000).then(() => put(body));
      },
    };
  }

  const queues = { quick: createQueue(AT_ONCE.quick), long: createQueue(AT_ONCE.long) };
  const dispatch = createDispatcher({
    ...{ clock: time, log: SILENT, dispatches, progress, ...stores },
    directory: { list: async () => entries },
    sendQuick: queues.quick.send,
    sendLong: queues.long.send,
    onReport() {},
  });

  return {
    time,
    random,
    sources,
    faults,
    polledAt,
    ...{ ...stores, store },
    /** Dispatches so many minutes. @param during called in each of them */
    async run(minutes: number, during: () => void = () => {}): Promise<void> {
      for (let minute = 0; minute < minutes; minute += 1) {
        const slot = Math.ceil(time.now() / MINUTE) * MINUTE_MS;
        await time.advance(slot * MILLISECOND - time.now());
        await time.run(dispatch(slot));
        await time.advance(MINUTE / 2);
        during();
        await time.advance(MINUTE / 2 - MILLISECOND);
      }
    },
    disturb(disturbed: boolean, share: number): void {
      isDisturbed = disturbed;
      ending = share;
    },
    /** A process that has not polled anything. */
    startProcess,
  };
}

function settingsOf(name: string) {
  return sourceSettings.parse({
    ...{
      name,
      baseUrl: `https://${name}.returns.example/api`,
      sourceRead: 3_600_000,
      reconcileMs: 3_600_000,
    },
  });
}

function toAnswer(status: number, body: string) {
  return { status, headers: {}, body: new TextEncoder().encode(body), requestMs: LATENCY_MS };
}

function unmovable(): never {
  throw new Error('Only the virtual clock moves this time.');
}
