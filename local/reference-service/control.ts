// What tests can do to a reference service, and learn from it, beside asking like anybody else.

import type { Instant } from '../../shared/instant.ts';
import type { ServiceClock } from './clock.ts';
import type { KnobName, Knobs } from './knobs.ts';
import type { FaultKind } from './service/fault-kinds.ts';
import type { LoggedRequest } from './service/request-log.ts';
import type { Service } from './service/service.ts';
import { type ShownGroup, showGroup } from './showing/show-group.ts';
import { createStampForm } from './showing/stamp-form.ts';
import type { Change } from './store/change.ts';
import type { Alteration } from './store/changes-by-hand.ts';
import type { Store } from './store/store.ts';

export interface Control {
  now(): Instant;
  /** Makes time pass at once; life catches up with it. */
  advance(durationMs: number): void;
  /**
   * Changes a group: by a function that alters the draft it is given, or by a step of life such as
   * `shipment.delivered`.
   *
   * @throws RangeError if there is no such group, or the step can't happen now.
   */
  mutate(groupId: number, change: Alteration | string): Change;
  /** A new group; the alteration may change what it is. */
  create(alteration?: Alteration): Change;
  /** @throws RangeError if there is no such group. */
  remove(groupId: number): Change;
  /** Lets the next answers fail. @default one */
  failNext(kind: FaultKind, count?: number): void;
  /** Turns a knob; what happened before stays as it was. */
  setKnob<Name extends KnobName>(name: Name, value: Knobs[Name]): void;
  knobs(): Readonly<Knobs>;
  /** Stops life and lets it go on. */
  pause(): void;
  resume(): void;
  /** All groups as they truly are, whatever of it shows yet; as the document has them, stamps as the knobs do. */
  snapshot(): ShownGroup[];
  /** Every change since the start, in the order they happened. Stamps are instants. */
  history(): readonly Change[];
  /** The requests received, oldest first. */
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
    snapshot() {
      const stamps = createStampForm(knobs.stampForm, knobs.stampPrecision);
      return Array.from(store.groups(), (group) => showGroup(group, stamps));
    },
    history: store.history,
    requests: service.requests,
  };
}
