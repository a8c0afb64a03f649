// What the sample warehouse's function, its table and its workflow must agree on: the function notes what is told of
// line items, the workflow waits for it, and the table is where they meet.
import type { StatusOf } from '../contract/statuses.ts';
import type { TableShape } from './tables.ts';

/**
 * One item for each line item and each parcel of a return group, and one ({@link GROUP_PART}) once it was removed.
 *
 * | attribute      | of a line item                                                          | of a parcel              |
 * | -------------- | ----------------------------------------------------------------------- | ------------------------ |
 * | `return_group` | `<source>/<id>`, the events' `partitionkey`                             | the same                 |
 * | `part`         | `line_item/<id>`                                                        | `parcel/<id>`            |
 * | `status`       | the newest that was told; absent if none was                            |                          |
 * | `position`     | of the event that told it                                               |                          |
 * | `waiting`      | task tokens of the workflows that wait for it                           |                          |
 * | `parcels`      | those that are to bring it                                              |                          |
 * | `line_items`   |                                                                         | what it is to bring      |
 * | `delivery`     |                                                                         | id of the event of it    |
 * | `decision`     | what a workflow decided                                                 | only if nobody knows what it brings |
 * | `expires`      | second after which all this may be forgotten                            | the same                 |
 */
export const WAREHOUSE_TABLE = {
  partitionKey: { name: 'return_group', type: 'S' },
  sortKey: { name: 'part', type: 'S' },
  timeToLive: 'expires',
} as const satisfies TableShape;

/** Statuses with which the workflow goes on waiting. Any other, those of no document included, is news to act on. */
export const OPEN_STATUSES = ['IN_REVIEW', 'OPEN'] as const satisfies readonly StatusOf<'return_line_item'>[];

/** Goods with this status are as they should be. */
export const DONE_STATUS = 'COMPLETED' satisfies StatusOf<'return_line_item'>;

/** Not of the service: the line item is not there any more. */
export const REMOVED_STATUS = 'REMOVED';

/** What becomes of goods. */
export type Decision = 'RESTOCK' | 'QUARANTINE' | 'ESCALATE';

/** What the workflow is started with. The names of parts are those of the table. */
export interface DeliveredParcel {
  readonly return_group: string;
  readonly parcel: string;
  readonly line_items: readonly string[];
  /** As DynamoDB writes numbers. */
  readonly expires: string;
}

/** Notes that the return itself was removed. */
export const GROUP_PART = 'return_group';

export function lineItemPart(id: number): string {
  return `line_item/${id}`;
}

export function parcelPart(id: number): string {
  return `parcel/${id}`;
}
