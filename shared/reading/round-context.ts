// What a lane gives to the reader of its round, and what it gets.
import type { Instant } from '../instant.ts';
import type { TickRun } from '../lanes/tick-run.ts';
import type { KnownGroup } from '../ports.ts';
import type { LaneName } from '../source/source-state.ts';
import type { Page, Range } from './range.ts';
import type { Round } from './round.ts';

/** Thrown when a round has cut too often: it begins anew later, and the cursor stays. */
export class RoundFailed extends Error {
  override readonly name = 'RoundFailed';
}

/** The rows of a part that was read completely. */
export interface CompletePart {
  /** By creation, without another bound. */
  readonly range: Range;
  readonly shown: ReadonlySet<number>;
  readonly sentAt: Instant;
}

export interface RoundContext {
  readonly run: TickRun;
  readonly lane: LaneName;
  /** Which part of a range without order is read first. */
  readonly first: 'newest' | 'oldest';
  readonly round: Round;
  update(change: (round: Round) => Round): void;
  /** Replaces the rest of a walk by its next piece and the new rest. */
  plan?(rest: Range): Promise<void>;
  /** The groups that a walk expects in a range. */
  known?(range: Range): Promise<ReadonlyMap<number, KnownGroup>>;
  /** Called for each page that was recorded. */
  readonly onRecorded?: ((page: Page) => void) | undefined;
  /** Called for each part of a walk that was read completely. */
  onComplete?(part: CompletePart): Promise<void>;
}

export interface RoundReader {
  readonly context: RoundContext;
  /** Reads the next range. @throws DeadlineReached, RoundFailed, and what saves throw */
  readNext(): Promise<void>;
  /** Records a page of a range. @returns the groups that it shows */
  record(range: Range, page: Page): Promise<ReadonlySet<number>>;
  /**
   * The same for a page by offset.
   *
   * @param whole what of it is recorded
   * @returns whether it shows only groups that pages before it have shown: the service ignores the offset
   */
  recordByOffset(range: Range, page: Page, whole?: Page): Promise<boolean>;
  /** How many different groups the pages by offset have shown in this process. */
  shownByOffset(range: Range): number;
  /** Takes a range off the stack whose rows are not proved to be all: a place says so. */
  leaveUnproved(range: Range): void;
  /** Takes a range off the stack that says nothing of the groups that it lacks. */
  leave(range: Range): void;
  /** The groups that it has read in this tick, and when they were created. */
  created(): ReadonlyMap<number, Instant>;
}
