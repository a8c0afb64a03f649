// Changes and inspects a reference service from a test, without requests to its API.

import type { Instant } from '../../shared/instant.ts';
import type { FaultKind, KnobName, Knobs } from './knobs.ts';
import type { LoggedRequest, Service } from './service/service.ts';
import { type ShownGroup, showGroup } from './showing/show-group.ts';
import { stampFormOf } from './showing/stamp-form.ts';
import type { Alteration, Store } from './store/store.ts';
import type { Change } from './store/stored-group.ts';

export interface ServiceClock {
  now(): Instant;
  /** Moves the time forward immediately. */
  advance(durationMs: number): void;
}

export interface Control extends Pick<Store, 'create' | 'remove' | 'history' | 'pause' | 'resume'> {
  /** Moves the time forward immediately, and makes the random changes that became due. */
  advance(durationMs: number): void;
  /**
   * Changes a group: by a function that alters a draft, or by a step such as `shipment.delivered`.
   *
   * @throws RangeError if there is no such group, or the step is not possible now
   */
  mutate(groupId: number, change: Alteration | string): Change;
  /** Makes the next answers fail. @param count @default 1 */
  failNext(kind: FaultKind, count?: number): void;
  /** Sets a knob. Earlier changes stay as they were. */
  setKnob<Name extends KnobName>(name: Name, value: Knobs[Name]): void;
  knobs(): Readonly<Knobs>;
  /**
   * The true state of all groups, also if not visible yet, in the document's form, with stamps as the knobs set them.
   */
  snapshot(): ShownGroup[];
  /** The latest requests, oldest first. */
  requests(): readonly LoggedRequest[];
}

export function createControl(store: Store, service: Service, clock: ServiceClock, knobs: Knobs): Control {
  const { create, remove, history, pause, resume } = store;
  return {
    ...{ create, remove, history, pause, resume },
    advance(durationMs) {
      clock.advance(durationMs);
      store.catchUp();
    },
    mutate: (groupId, change) =>
      typeof change === 'string' ? store.step(groupId, change) : store.alter(groupId, change),
    failNext: (kind, count = 1) => service.failNext(kind, count),
    setKnob(name, value) {
      store.catchUp();
      knobs[name] = value;
      if (name === 'staleShare' || name === 'staleSeconds') store.resetReplica();
    },
    knobs: () => ({ ...knobs }),
    snapshot() {
      const { write } = stampFormOf(knobs);
      return Array.from(store.groups(), (group) => showGroup(group, write));
    },
    requests: service.requests,
  };
}
