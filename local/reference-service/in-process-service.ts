// The reference service without sockets: a store, the service that reads it, and the control of both. A
// simulation adds its own network and clock; create-reference-service.ts adds a port.

import { MILLISECOND, SECOND } from '../../shared/instant.ts';
import { type Control, createControl, type ServiceClock } from './control.ts';
import { defaultKnobs, type Knobs } from './knobs.ts';
import { createService, type Service } from './service/service.ts';
import { createRandom, mix } from './store/seeded-random.ts';
import { createStore, type Store, type StoreOptions } from './store/store.ts';

export interface InProcessServiceOptions extends Pick<StoreOptions, 'seed' | 'groups' | 'life'> {
  /** The required X-Service-Api-Token of requests. @default 'reference-token' */
  readonly token?: string | undefined;
  readonly knobs?: Partial<Knobs> | undefined;
  /** @default the system's time */
  readonly clock?: ServiceClock | undefined;
}

export interface InProcessService {
  readonly token: string;
  readonly store: Store;
  readonly service: Service;
  readonly control: Control;
}

export function createInProcessService(options: InProcessServiceOptions = {}): InProcessService {
  const { seed = 1, groups, token = 'reference-token', clock = createSystemClock(), life } = options;
  const settings: Knobs = { ...defaultKnobs(), ...options.knobs };
  const knobs = () => settings;
  const now = () => clock.now() - settings.clockBehindSeconds * SECOND;
  const store = createStore({ now, seed, groups, life, knobs });
  const service = createService({ store, token, now, knobs, random: createRandom(mix(seed, 51)) });
  return { token, store, service, control: createControl(store, service, clock, settings) };
}

/** The system's time, to the microsecond; it never goes back. */
function createSystemClock(): ServiceClock {
  const startedAt = Date.now() - performance.now();
  let skippedMs = 0;
  return {
    now: () => Math.floor((startedAt + performance.now() + skippedMs) * MILLISECOND),
    advance: (durationMs) => {
      skippedMs += durationMs;
    },
  };
}
