// Changes and inspects a reference service from a test, without requests to its API.

import type { Instant } from '../../shared/instant.ts';
import type { ServiceClock } from './clock.ts';
import type { KnobName, Knobs } from './knobs.ts';
import type { FaultKind } from './service/fault-kinds.ts';
import type { LoggedRequest } from './service/request-log.ts';
import type { Service } from './service/service.ts';
import { type ShownGroup, showGroup } from './showing/show-group.ts';
import { stampFormsOf } from './showing/stamp-form.ts';
import type { Change } from './store/change.ts';
import type { Alteration } from './store/changes-by-hand.ts';
import type { Store } from './store/store.ts';

export interface Control {
  now(): Instant;
  /** Moves the time forward immediately, and makes the random changes that became due. */
  advance(durationMs: number): void;
  /**
   * Changes a group: by a function that alters a draft, or by a step such as `shipment.delivered`.
   *
   * @throws RangeError if there is no such group, or the step is not possible now
   */
  mutate(groupId: number, change: Alteration | string): Change;
  /** Creates a group, changed by the alteration if given. */
  create(alteration?: Alteration): Change;
  /** @throws RangeError if there is no such group. */
  remove(groupId: number): Change;
  /** Makes the next answers fail. @param count @default 1 */
  failNext(kind: FaultKind, count?: number): void;
  /** Sets a knob. Earlier changes stay as they were. */
  setKnob<Name extends KnobName>(name: Name, value: Knobs[Name]): void;
  knobs(): Readonly<Knobs>;
  /** Stops the random changes. */
  pause(): void;
  resume(): void;
  /** The ids of all groups, as in {@link Control.snapshot}, which takes much longer. */
  groupIds(): number[];
  /**
   * The true state of all groups, also if not visible yet, in the document's form, with stamps as the knobs set them.
   */
  snapshot(): ShownGroup[];
  /** Every change since the start, in order; empty if the history is not kept (`keepsHistory`). Stamps are instants. */
  history(): readonly Change[];
  /** The latest requests, oldest first (request-log.ts). */
  requests(): readonly LoggedRequest[];
}

export interface ControlOptions {
  readonly store: Store;
  readonly service: Service;
  readonly clock: ServiceClock;
  readonly knobs: Knobs;
}

export function createControl({ store, service, clock, knobs }: ControlOptions): Control {
  return {
    now: clock.now,
    advance(durationMs) {
      clock.advance(durationMs);
      store.catchUp();
    },
    mutate: (groupId, change) =>
      typeof change === 'string' ? store.step(groupId, change) : store.alter(groupId, change),
    create: store.create,
    remove: store.remove,
    failNext: (kind, count = 1) => service.failNext(kind, count),
    setKnob(name, value) {
      store.catchUp();
      knobs[name] = value;
      if (name === 'staleShare' || name === 'staleSeconds') store.resetReplica();
    },
    knobs: () => ({ ...knobs }),
    pause: store.pause,
    resume: store.resume,
    groupIds: () => Array.from(store.groups(), ({ id }) => id),
    snapshot() {
      const stamps = stampFormsOf(knobs);
      return Array.from(store.groups(), (group) => showGroup(group, stamps));
    },
    history: store.history,
    requests: service.requests,
  };
}
