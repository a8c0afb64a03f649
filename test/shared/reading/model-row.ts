// A row of the model's list, and what it was at each time.
import type { Instant } from '../../../shared/instant.ts';
import type { Looks } from './model-stamps.ts';

export interface RowVersion {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** When the list begins to show it. */
  readonly shownFrom: Instant;
  /** The row is not in the store any more. */
  readonly isGone: boolean;
  /** Counts the changes of the whole list. */
  readonly change: number;
  /** Another one with each change. */
  readonly luck: number;
}

export interface ModelRow {
  readonly id: number;
  readonly bytes: number;
  readonly looks: Looks;
  readonly versions: RowVersion[];
}
