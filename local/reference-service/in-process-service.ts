// The reference service without sockets: a store, the service that reads it, and the control of both. A
// simulation adds its own network and clock; create-reference-service.ts adds a port.

import { createSystemClock, type ServiceClock } from './clock.ts';
import { type Control, createControl } from './control.ts';
import { defaultKnobs, type Knobs } from './knobs.ts';
import { createService, type Service } from './service/service.ts';
import { createRandom, mix } from './store/seeded-random.ts';
import { createStore, type Store } from './store/store.ts';

export interface InProcessServiceOptions {
  /** @default 1 */
  readonly seed?: number | undefined;
  /** Return groups at the start. @default 300 */
  readonly groups?: number | undefined;
  /** The required X-Service-Api-Token of requests. @default 'reference-token' */
  readonly token?: string | undefined;
  readonly knobs?: Partial<Knobs> | undefined;
  /** @default the system's time */
  readonly clock?: ServiceClock | undefined;
  /** False makes no random changes. @default 2 changes a second */
  readonly life?: { readonly changesPerSecond: number } | false | undefined;
  /** Keeps every change for `control.history()`. @default true up to 100,000 groups */
  readonly keepsHistory?: boolean | undefined;
}

export interface InProcessService {
  readonly token: string;
  readonly store: Store;
  readonly service: Service;
  readonly control: Control;
}

const HISTORY_UP_TO = 100_000;
const OTHER_STORE_UP_TO = 1_000;

export function createInProcessService(options: InProcessServiceOptions = {}): InProcessService {
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
