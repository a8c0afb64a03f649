// One step of a walk: where it is, what it may use, and what it covered.
import type { Instant } from '../instant.ts';
import type { StampsState } from '../source/source-state.ts';
import type { Interval } from './page.ts';
import type { Reader } from './reader.ts';

export interface WalkPosition {
  /** Everything created before this was read; undefined at the start of a walk. */
  readonly coveredThrough: Instant | undefined;
  /** Width of the next range if there is room for all the pages a range may have, in the unit of Instant. */
  readonly rangeWidth: number;
}

export interface WalkOptions extends Omit<Reader, 'trustsShortPages'> {
  /** Where pieces of one page lie; undefined while the list seems to keep its order. */
  readonly pieces?: KnownPieces | undefined;
  readonly stamps: () => StampsState;
  readonly now: () => Instant;
}

export interface WalkStep {
  readonly position: WalkPosition;
  /** The covered range, which may be only the beginning of the one begun; undefined if none was covered. */
  readonly covered: Interval | undefined;
  /** Whether the walk is complete. If not, and nothing was covered, the next call tries a narrower range. */
  readonly isDone: boolean;
  readonly unstable: string | undefined;
  /** Whether the list has no order at all, and not just rows that moved. */
  readonly hasNoOrder: boolean;
}

/** Where the known groups are cut into pieces of one page. */
export interface KnownPieces {
  /** The next instants at which a piece ends, ascending. @param from undefined for the start of all */
  readonly cutsAfter: (from: Instant | undefined) => Promise<readonly Instant[]>;
  /** Called with the rows of a page that was not its whole piece. Returns whether pieces will be smaller from now on. */
  readonly onCutShort: (rows: number) => boolean;
}
