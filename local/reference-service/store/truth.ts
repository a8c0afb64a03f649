// The true state of each group after its last change, also if that is not visible yet. Every change goes through
// `commit`, which sets its stamp, finds the changed parts, draws the time when it becomes visible, and passes it on.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { absurdly } from './absurd-stamps.ts';
import type { BaseGroups } from './base-groups.ts';
import type { Change } from './change.ts';
import { groupIdOf } from './identities.ts';
import type { Random } from './seeded-random.ts';
import { type Part, partsThatDiffer, type StoredGroup } from './stored-group.ts';

interface Commit {
  readonly row: number;
  readonly at: Instant;
  readonly step: string;
  /** The group that `after` was made from, sharing its unchanged parts; undefined if there is none. */
  readonly before: StoredGroup | undefined;
  /** The changed group, without the new `updated_at`; undefined removes the group. */
  readonly after: StoredGroup | undefined;
  /** Whether to keep the stamps of `after` regardless of the knobs. */
  readonly keepsStamps?: boolean;
}

export interface Truth {
  /** All rows ever used, including removed groups. */
  readonly rows: number;
  /** When the last change happened. */
  readonly lastAt: Instant;
  group(row: number): StoredGroup | undefined;
  commit(commit: Commit): Change;
  /** Creates a group on a new row. */
  create(at: Instant, adapt?: (group: StoredGroup) => StoredGroup): Change;
  /** Restores a removed group with its last state and a new stamp. */
  restore(row: number, at: Instant): void;
}

export interface TruthOptions {
  readonly base: BaseGroups;
  readonly knobs: () => Knobs;
  readonly random: Random;
  readonly onChange: (change: Change) => void;
}

export function createTruth({ base, knobs, random, onChange }: TruthOptions): Truth {
  const latest = new Map<number, Change>();
  let rows = base.count;
  let sequence = 0;
  let lastAt = Number.NEGATIVE_INFINITY;

  const group = (row: number): StoredGroup | undefined => {
    const change = latest.get(row);
    if (change !== undefined) return change.after;
    return row >= 0 && row < base.count ? base.group(row) : undefined;
  };

  const commit = ({ row, at, step, before, after, keepsStamps = false }: Commit): Change => {
    const parts = before === undefined || after === undefined ? [] : partsThatDiffer(before, after);
    const change: Change = {
      sequence: sequence + 1,
      at,
      shownFrom: at + delay(knobs(), random),
      row,
      groupId: groupIdOf(row),
      step,
      parts,
      before,
      after: after === undefined || keepsStamps ? after : stamped(after, before, parts, at, knobs()),
    };
    sequence += 1;
    rows = Math.max(rows, row + 1);
    lastAt = Math.max(lastAt, at);
    latest.set(row, change);
    onChange(change);
    return change;
  };

  return {
    get rows() {
      return rows;
    },
    get lastAt() {
      return lastAt;
    },
    group,
    commit,
    create(at, adapt = (fresh) => fresh) {
      const row = rows;
      const fresh = base.fresh(row, at);
      const after = adapt(fresh);
      const keepsStamps = after.updated_at !== fresh.updated_at || after.created_at !== fresh.created_at;
      return commit({ row, at, step: 'return_group.created', before: undefined, after, keepsStamps });
    },
    restore(row, at) {
      const last = latest.get(row)?.before;
      if (last !== undefined)
        commit({ row, at, step: 'return_group.restored', before: undefined, after: last });
    },
  };
}

function stamped(
  after: StoredGroup,
  before: StoredGroup | undefined,
  parts: readonly Part[],
  at: Instant,
  knobs: Knobs,
): StoredGroup {
  const moves = before === undefined || parts.some((part) => knobs.touches.includes(part));
  if (!moves) return after;
  const honest = { createdAt: after.created_at, updatedAt: at + knobs.stampsAheadSeconds * SECOND };
  const { createdAt, updatedAt } = absurdly(after.id, honest, at, {
    every: knobs.absurdEvery,
    kind: knobs.absurdStamps,
  });
  return { ...after, created_at: createdAt, updated_at: updatedAt };
}

function delay({ lateSeconds, lateShare }: Knobs, random: Random): Instant {
  if (lateSeconds.most === 0 || !random.chance(lateShare)) return 0;
  return Math.floor(
    (lateSeconds.least + (lateSeconds.most - lateSeconds.least) * random.fraction()) * SECOND,
  );
}
