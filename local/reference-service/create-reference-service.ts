// A conforming implementation of the returns data service, for tests and for trying the feed out: store, service and
// HTTP server put together. Every question that the document leaves open is a knob (knobs.ts).

import { createSystemClock, type ServiceClock } from './clock.ts';
import { type Control, createControl } from './control.ts';
import { startServer } from './http/server.ts';
import { defaultKnobs, type Knobs } from './knobs.ts';
import { createService, type Service } from './service/service.ts';
import { createRandom, mix } from './store/seeded-random.ts';
import { createStore, type Store } from './store/store.ts';

export interface ReferenceServiceOptions {
  /** @default 1 */
  readonly seed?: number | undefined;
  /** Return groups at the start. @default 300 */
  readonly groups?: number | undefined;
  /** What requests must send as X-Service-Api-Token. @default 'reference-token' */
  readonly token?: string | undefined;
  readonly knobs?: Partial<Knobs> | undefined;
  /** @default the system's time */
  readonly clock?: ServiceClock | undefined;
  /** False: nothing changes by itself. @default 2 changes a second */
  readonly life?: { readonly changesPerSecond: number } | false | undefined;
  /** Keeps every change for `control.history()`. @default true up to 100,000 groups */
  readonly keepsHistory?: boolean | undefined;
}

export interface ReferenceServerOptions extends ReferenceServiceOptions {
  /** 0: any free one. @default 0 */
  readonly port?: number | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Path of the API root. @default '/api' */
  readonly prefix?: string | undefined;
}

/** The service without sockets: for a simulation that brings its own network and time. */
export interface ReferenceService {
  readonly token: string;
  readonly store: Store;
  readonly service: Service;
  readonly control: Control;
}

export interface ReferenceServer extends ReferenceService {
  /** The base URL, its path prefix included. */
  readonly url: string;
  /** Ends at once, whatever is still being answered. */
  close(): Promise<void>;
}

const HISTORY_UP_TO = 100_000;
const OTHER_STORE_UP_TO = 1_000;
const LIFE_EVERY_MS = 1_000;

export function createReferenceServiceInProcess(options: ReferenceServiceOptions = {}): ReferenceService {
  const { seed = 1, groups = 300, token = 'reference-token', clock = createSystemClock(), life } = options;
  const settings: Knobs = { ...defaultKnobs(), ...options.knobs };
  const knobs = () => settings;
  const { now } = clock;
  const keepsHistory = options.keepsHistory ?? groups <= HISTORY_UP_TO;
  const store = createStore({ now, seed, groups, life, keepsHistory, knobs });
  let other: Store | undefined;
  const otherStore = () => {
    other ??= createStore({
      now,
      seed: seed + 1,
      groups: Math.min(groups, OTHER_STORE_UP_TO),
      life,
      keepsHistory: false,
      knobs,
    });
    return other;
  };
  const random = createRandom(mix(seed, 51));
  const service = createService({ store, otherStore, token, now, knobs, random });
  return { token, store, service, control: createControl({ store, service, clock, knobs: settings }) };
}

/** Starts the service on a port of this machine. */
export async function createReferenceService(options: ReferenceServerOptions = {}): Promise<ReferenceServer> {
  const inProcess = createReferenceServiceInProcess(options);
  const { port = 0, host = '127.0.0.1', prefix = '/api' } = options;
  const server = await startServer(inProcess, { port, host, prefix });
  // Nobody has to ask for life to go on; a long silence would else be made up for by the first to break it.
  const living = setInterval(() => inProcess.store.catchUp(), LIFE_EVERY_MS).unref();
  return {
    ...inProcess,
    url: server.url,
    async close() {
      clearInterval(living);
      await server.close();
    },
  };
}
