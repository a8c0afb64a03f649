// What the feed claims to have read. `feed.source_read`, `status` and the metrics say these and compute nothing of their
// own.
import type { Instant } from '../instant.ts';
import type { SourceState } from '../source/source-state.ts';
import { walkedAt } from './position.ts';

export interface Claims {
  /**
   * Changes that were made the lookback and `settle` before this moment, and moved their return's stamp, are known;
   * undefined until the baseline is completed.
   */
  readonly polledAt: Instant | undefined;
  /** All changes that were made twice `settle` before this moment are known; undefined before the first walks. */
  readonly walkedAt: Instant | undefined;
  /** Returns and entities that are held back. */
  readonly held: number;
  /** Rows, fields and places that can't be read, and returns that are missing or went back, and are still looked up. */
  readonly setAside: number;
}

type Claiming = Pick<SourceState, 'baselineAt' | 'position' | 'holds' | 'findings' | 'setAside' | 'lookUps'>;

/** Returns the claims, and how much of what they cover is not known: without any of it they hold for every return. */
export function claimsOf({ baselineAt, position, holds, findings, setAside, lookUps }: Claiming): Claims {
  const fields = findings.filter(({ code }) => code === 'unreadable_field');
  const unknown = lookUps.filter(
    ({ isMissing, absentSince, olderSince }) => isMissing || (absentSince ?? olderSince) !== undefined,
  );
  return {
    // Groups that no walk has read yet may still be announced.
    polledAt: baselineAt === undefined ? undefined : position.readAt.late,
    walkedAt: walkedAt(position),
    held: holds.reduce((sum, { count }) => sum + Math.max(1, count), 0),
    setAside: setAside.length + fields.length + position.places.length + unknown.length,
  };
}
