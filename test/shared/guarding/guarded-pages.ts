// Pages of compared readings for the guards of walks and sweeps, and a source that notes its saves and records in
// order.
import type { GuardedWalk } from '../../../shared/guarding/guard-walk.ts';
import { NO_GUARDING } from '../../../shared/guarding/guarding-state.ts';
import {
  ADMITS_ALL,
  type ComparedReading,
  type ReadingGuard,
} from '../../../shared/guarding/reading-guard.ts';
import { HOUR } from '../../../shared/instant.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { aState } from '../../contract/sample-states.ts';

export const NOW = 1_763_633_703_000_000;
/** A source; its walks found no change without a newer stamp. */
const CALM = { ...NO_GUARDING, usual: { ratePerHour: 0, learnedAt: NOW, isWhole: true } };
const EMPTY = { return_line_items: [], shipments: [], exchange_line_items: [], refund_transactions: [] };

/** A reading of a group, unchanged or changed without a newer stamp. */
export function compared(groupId: number, isChanged: boolean): ComparedReading {
  const shown = { updatedAt: NOW - HOUR, projection: EMPTY };
  const event = { type: 'shipment.updated', data: { object: {}, previous_attributes: {} } };
  return {
    snapshot: { groupId, ...shown },
    reading: shown,
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
  };
  const recorder = {
    async record(all: readonly ComparedReading[]) {
      done.push(`recorded ${all.map(({ snapshot }) => snapshot?.groupId).join(' ')}`);
    },
  };
  return { run, recorder, done };
}
