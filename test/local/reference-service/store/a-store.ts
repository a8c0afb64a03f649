import type { ServiceClock } from '../../../../local/reference-service/control.ts';
import { defaultKnobs, type Knobs } from '../../../../local/reference-service/knobs.ts';
import {
  createStore,
  type Store,
  type StoreOptions,
} from '../../../../local/reference-service/store/store.ts';
import { createVirtualClock } from '../virtual-service-clock.ts';

export const STARTED_AT = Date.parse('2026-11-20T10:00:00Z') * 1_000;

export interface StoreUnderTest {
  readonly store: Store;
  readonly clock: ServiceClock;
  readonly knobs: Knobs;
}

/** A store in virtual time with adjustable knobs. It does not change by itself by default. */
export function aStore(
  options: Omit<Partial<StoreOptions>, 'now' | 'knobs'> & { knobs?: Partial<Knobs> } = {},
): StoreUnderTest {
  const clock = createVirtualClock(STARTED_AT);
  const knobs = { ...defaultKnobs(), ...options.knobs };
  const store = createStore({ groups: 40, life: false, ...options, now: clock.now, knobs: () => knobs });
  return { store, clock, knobs };
}
