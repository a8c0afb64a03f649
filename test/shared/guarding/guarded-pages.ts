// Pages of compared readings for the guards of walks and sweeps, and a source that notes its saves and records in
// order.
import type { GuardedWalk } from '../../../shared/guarding/guard-walk.ts';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import {
  ADMITS_ALL,
  type ComparedReading,
  type ReadingGuard,
} from '../../../shared/guarding/reading-guard.ts';
import { HOUR, type Instant, MINUTE } from '../../../shared/instant.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aState } from '../../contract/sample-states.ts';

export const NOW = 1_763_633_703_000_000;
/** A source; its walks found no change without a newer stamp. */
const CALM = { ...NO_GUARDING, usual: { ratePerHour: 0, learnedAt: NOW, isWhole: true } };
/** The states of a group that matter here. */
interface ShownStates {
  /** What was published last, and what the service shows. */
  readonly published?: string;
  readonly shown?: string;
  /** The field of the shipment that has these values. @default 'carrier' */
  readonly field?: 'carrier' | 'tracking_number';
  readonly publishedAt?: Instant;
  readonly shownAt?: Instant;
}

/** A reading of a group, unchanged or changed without a newer stamp. */
export function compared(groupId: number, isChanged: boolean, states: ShownStates = {}): ComparedReading {
  const { published = 'DHL', shown = isChanged ? 'OTHER' : published, field = 'carrier' } = states;
  const { publishedAt = NOW - HOUR, shownAt = publishedAt } = states;
  const stateOf = (updatedAt: Instant, value: string) => {
    const shipment = { type: 'shipment', id: groupId, [field]: value };
    const group = { type: 'return_group', id: groupId };
    const others = { return_line_items: [], exchange_line_items: [], refund_transactions: [] };
    return { updatedAt, projection: { group, shipments: [shipment], ...others } };
  };
  const reading = stateOf(shownAt, shown);
  const object = reading.projection.shipments[0];
  const event = { type: 'shipment.updated', data: { object, previous_attributes: { [field]: published } } };
  return {
    snapshot: { groupId, ...stateOf(publishedAt, published) },
    reading,
    compared: isChanged ? { verdict: 'differs', saves: [{ events: [event] }] } : { verdict: 'unchanged' },
  } as unknown as ComparedReading;
}

/** Passes a page of groups to the guard, the first `changed` of them changed. @returns the readings that it admitted */
export function pass(
  guard: Pick<ReadingGuard, 'admits'>,
  groups: readonly number[],
  changed: number,
): number {
  return groups.filter((id, index) => guard.admits(compared(id, index < changed))).length;
}

export function guardedSource(changes: Partial<SourceState> = {}) {
  const { reconciliation } = aState('acme');
  const all = { ...reconciliation.all, ratePerHour: 0 };
  let state = aState('acme', 1, { guarding: CALM, reconciliation: { ...reconciliation, all }, ...changes });
  const done: string[] = [];
  const run: GuardedWalk = {
    source: {
      get state() {
        return state;
      },
      update(change) {
        state = change(state);
      },
      async save() {
        done.push('state saved');
      },
    },
    readings: ADMITS_ALL,
    now: () => NOW,
    interval: MINUTE,
  };
  const recorder = {
    async record(all: readonly ComparedReading[]) {
      done.push(`recorded ${all.map(({ snapshot }) => snapshot?.groupId).join(' ')}`);
    },
  };
  return { run, recorder, done };
}
