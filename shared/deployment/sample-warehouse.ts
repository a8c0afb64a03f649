// What the sample warehouse's function, its table and its workflow must agree on: the function notes the statuses of
// line items in the table, and the workflow waits for them.
import type { StatusOf } from '../contract/statuses.ts';
import type { TableShape } from './tables.ts';

/**
 * One item for each line item and each parcel of a return group, and one ({@link GROUP_PART}) once it is removed. Beside
 * them the claim of each parcel: `return_group` is its events' `source` (a shipment may move to another return), `part`
 * the parcel, `delivery` the id of the first delivery's event; it has `expires` as well.
 *
 * | attribute      | of a line item                                           | of a parcel                      |
 * | -------------- | -------------------------------------------------------- | -------------------------------- |
 * | `return_group` | `<source>/<id>`, the events' `partitionkey`              | the same                         |
 * | `part`         | `line_item/<id>`                                         | `parcel/<id>`                    |
 * | `status`       | the newest that was published; absent if none was        |                                  |
 * | `position`     | of the event with the status                             |                                  |
 * | `sku`          | if it has one                                            |                                  |
 * | `quantity`     | likewise                                                 |                                  |
 * | `waiting`      | task tokens of the workflows that wait for the line item |                                  |
 * | `parcels`      | the parcels that will bring it                           |                                  |
 * | `line_items`   |                                                          | the line items in it             |
 * | `decision`     | what a workflow decided                                  | only if its contents are unknown |
 * | `expires`      | second after which all this may be forgotten             | the same                         |
 */
export const WAREHOUSE_TABLE = {
  partitionKey: { name: 'return_group', type: 'S' },
  sortKey: { name: 'part', type: 'S' },
  timeToLive: 'expires',
} as const satisfies TableShape;

/** Statuses at which the workflow keeps waiting. It acts on any other, even one that no document lists. */
export const OPEN_STATUSES = ['IN_REVIEW', 'OPEN'] as const satisfies readonly StatusOf<'return_line_item'>[];

/** Goods with this status are as they should be. */
export const DONE_STATUS = 'COMPLETED' satisfies StatusOf<'return_line_item'>;

/** Not a status of the service: the line item no longer exists. */
export const REMOVED_STATUS = 'REMOVED';

/** The decision about the goods. */
export type Decision = 'RESTOCK' | 'QUARANTINE' | 'ESCALATE';

/** The workflow's input. The names of parts are those of the table. */
export interface DeliveredParcel {
  readonly return_group: string;
  readonly parcel: string;
  readonly line_items: readonly string[];
  /** As DynamoDB writes numbers. */
  readonly expires: string;
}

/** The part that notes that the return itself was removed. */
export const GROUP_PART = 'return_group';

export function lineItemPart(id: number): string {
  return `line_item/${id}`;
}

export function parcelPart(id: number): string {
  return `parcel/${id}`;
}
