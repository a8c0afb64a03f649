import type { Instant } from '../../../shared/instant.ts';
import type { Part, StoredGroup } from './stored-group.ts';

/** An entry of the store's history: a change of a group. */
export interface Change {
  /** 1, 2, 3 … over the whole store. */
  readonly sequence: number;
  /** When the change happened. The stamp, which may differ, is in `after`. */
  readonly at: Instant;
  /** When the primary starts to show the change. */
  readonly shownFrom: Instant;
  readonly row: number;
  readonly groupId: number;
  /** For instance `shipment.delivered`. */
  readonly step: string;
  /** The parts that changed; empty for a created or removed group. */
  readonly parts: readonly Part[];
  /** Undefined if the group did not exist before. */
  readonly before: StoredGroup | undefined;
  /** Undefined if the group was removed. */
  readonly after: StoredGroup | undefined;
}
