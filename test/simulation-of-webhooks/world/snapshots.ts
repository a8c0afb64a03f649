// The snapshots of the groups, saved in one transaction with their events, and shown a moment before or after them. The
// state names the number of its last event.
import { PROJECTION, type Snapshot } from '../../../shared/comparing/snapshot.ts';
import { formatInstant, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey, SnapshotStore } from '../../../shared/ports.ts';
import { formatGroupKey } from '../../../shared/recording/group-key.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';

export interface SimulatedSnapshots extends Pick<SnapshotStore, 'load'> {
  save(key: GroupKey, sequence: number): void;
}

const SHOWN_WITHIN = 30 * MILLISECOND;

/** @param fraction from 0 to below 1; decides when each snapshot shows */
export function createSnapshots(time: VirtualClock, fraction: () => number): SimulatedSnapshots {
  const saved = new Map<string, { readonly snapshot: Snapshot; readonly shownFrom: Instant }[]>();
  return {
    save(key, sequence) {
      const all = saved.get(formatGroupKey(key)) ?? [];
      const shownFrom = time.now() + Math.floor(fraction() * SHOWN_WITHIN);
      const snapshot = stateAt(Number(key.group), all.length + 1, sequence, time.now());
      // A snapshot is never older than one that was shown.
      const before = all.at(-1)?.shownFrom ?? 0;
      all.push({ snapshot, shownFrom: Math.max(shownFrom, before) });
      saved.set(formatGroupKey(key), all);
    },
    async load(source, groups) {
      const shown = groups.flatMap((group) => {
        const all = saved.get(formatGroupKey({ ...source, group })) ?? [];
        const last = all.findLast(({ shownFrom }) => shownFrom <= time.now());
        return last === undefined ? [] : [[group, last.snapshot] as const];
      });
      return new Map(shown);
    },
  };
}

function stateAt(groupId: number, version: number, sequence: number, now: Instant): Snapshot {
  const stamp = formatInstant(now);
  return {
    ...{ groupId, version, sequence, projectionVersion: PROJECTION, absences: {}, unpublished: {} },
    ...{ updatedAt: now, createdAt: now, sentAt: now, receivedAt: now },
    projection: {
      group: {
        type: 'return_group',
        id: groupId,
        created_at: stamp,
        updated_at: stamp,
        return_outcome: `state ${sequence}`,
        credit_method: null,
        return_method: null,
        order: { id: null, name: null, platform_id: null },
      },
      return_line_items: undefined,
      shipments: undefined,
      exchange_line_items: undefined,
      refund_transactions: undefined,
    },
  };
}
