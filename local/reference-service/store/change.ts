import type { Instant } from '../../../shared/instant.ts';
import type { Part, StoredGroup } from './stored-group.ts';

/** One entry of the store's history: what happened to a group, and when. */
export interface Change {
  /** 1, 2, 3 … over the whole store. */
  readonly sequence: number;
  /** When it happened; the stamp it made is in `after`, and may say something else. */
  readonly at: Instant;
  /** When the primary began to show it. */
  readonly shownFrom: Instant;
  readonly row: number;
  readonly groupId: number;
  /** What was done, for instance `shipment.delivered`. */
  readonly step: string;
  /** The parts that changed; empty for a group that came or went. */
  readonly parts: readonly Part[];
  /** Undefined: the group was not there before. */
  readonly before: StoredGroup | undefined;
  /** Undefined: the group was removed. */
  readonly after: StoredGroup | undefined;
}
