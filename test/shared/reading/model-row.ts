// A row of the model's list, with its version at each time.
import type { Instant } from '../../../shared/instant.ts';
import type { Looks } from './model-stamps.ts';

export interface RowVersion {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The time from which the list shows it. */
  readonly shownFrom: Instant;
  /** Whether the row is no longer in the store. */
  readonly isGone: boolean;
  /** The number of the change, counted over the whole list. */
  readonly change: number;
  /** A new random number with each change. */
  readonly luck: number;
}

export interface ModelRow {
  readonly id: number;
  readonly bytes: number;
  readonly looks: Looks;
  readonly versions: RowVersion[];
}
