// The data of a run for the judge, and the problems that it reports.
import type { EntityHistory, Fields, PrintedEvent } from './history.ts';

export interface Evidence {
  readonly histories: readonly EntityHistory[];
  /** Every `updated_at` that a group had. */
  readonly stampsOf: (groupId: number) => readonly string[];
  readonly printed: readonly PrintedEvent[];
  /** When each request arrived at the service, in order. */
  readonly requestedAt: readonly number[];
  readonly budget: number;
  readonly settleMs: number;
  /** Entities from before this time are known without events; undefined if everything is announced. */
  readonly silentUntil: number | undefined;
  /** Maximum time from a change's stamp until the service shows the change. */
  readonly lookbackMs: number;
  /** The group that no answer shows any more: its changes need not be published. */
  readonly failingId?: number | undefined;
  /** Whether the service sends money in an unreadable form. Then an event must have null, and no amount. */
  readonly unreadableMoney?: boolean;
  /** Watched fields that the service first showed at `from`. Until `until`, a change can't be distinguished from a field
   *  that was hidden before, so no event is required (decision 4). */
  readonly firstShown?: readonly FirstShown[];
}

export interface FirstShown {
  readonly field: string;
  readonly from: number;
  readonly until: number;
}

export interface Problem {
  readonly rule: Rule;
  readonly text: string;
}

export type Rule =
  | 'valid'
  | 'chain'
  | 'numbers'
  | 'same-id'
  | 'true'
  | 'observed'
  | 'complete'
  | 'removal'
  | 'budget'
  | 'said'
  | 'delivered';

export type Report = (rule: Rule, text: string) => void;

/** An entity as it was last published. */
export interface PublishedEntity {
  readonly state: Fields | undefined;
  /** Index of the published state in the entity's history: the next state comes after it. */
  readonly index: number;
}
