// The initial groups of the store. None of them is stored: outlines and groups are made when read.

import { DAY, type Instant, MINUTE } from '../../../shared/instant.ts';
import { type AbsurdStamps, absurdly } from './absurd-stamps.ts';
import { baseGroup } from './base-group.ts';
import { groupIdOf, orderOf } from './identities.ts';
import { type Outline, type OutlineOptions, outlineAt, outlineOf } from './outline.ts';
import type { StoredGroup } from './stored-group.ts';
import { unlistBaseStatuses } from './unlisted-statuses.ts';

export interface BaseOptions extends OutlineOptions {
  readonly absurd: AbsurdStamps;
  /** Share of statuses that no document lists. */
  readonly unlisted: number;
}

/** Small stores cache their groups: a simulation reads the same few again and again. */
const KEPT_UP_TO = 10_000;

export interface BaseGroups {
  readonly seed: number;
  readonly count: number;
  outline(row: number): Outline;
  group(row: number): StoredGroup;
  /** A group that is created later, on a row beyond `count`. */
  fresh(row: number, at: Instant): StoredGroup;
}

export function createBaseGroups(options: BaseOptions): BaseGroups {
  const { seed, groups, openedAt, absurd, unlisted } = options;
  const outline = (row: number): Outline => {
    const honest = outlineOf(row, options);
    return absurd.every === 0 ? honest : { ...honest, ...absurdly(groupIdOf(row), honest, openedAt, absurd) };
  };
  const kept = new Map<number, StoredGroup>();
  const make = (row: number): StoredGroup => {
    const own = outlineOf(row, options);
    const orderRow = orderOf(row);
    const orderedBy = orderRow === row ? own.createdAt : outlineOf(orderRow, options).createdAt;
    const group = unlistBaseStatuses(baseGroup(row, seed, own, orderedBy), seed, unlisted);
    if (absurd.every === 0) return group;
    const { createdAt, updatedAt } = outline(row);
    return { ...group, created_at: createdAt, updated_at: updatedAt };
  };
  return {
    seed,
    count: groups,
    outline,
    group(row) {
      const known = kept.get(row) ?? make(row);
      if (groups <= KEPT_UP_TO) kept.set(row, known);
      return known;
    },
    fresh(row, at) {
      return baseGroup(row, seed, outlineAt(row, seed, { createdAt: at, now: at }), at - DAY + MINUTE);
    },
  };
}
