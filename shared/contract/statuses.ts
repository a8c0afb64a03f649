// The statuses that the service's document lists ("Enumerations"). Others are carried as well, but who names one in
// code means one of these, and a slip of the pen must not compile.
import type { EventOf } from './event.ts';

/** The kinds of entity that have a status. */
export type StatusKind = 'return_line_item' | 'shipment' | 'exchange_line_item';

/** The literals of an open value, without the openness. */
type Listed<Value> = Value extends string ? (string extends Value ? never : Value) : never;

/** The listed statuses of one kind. */
export type StatusOf<Kind extends StatusKind> = Listed<
  EventOf<`${Kind}.created`>['data']['object']['status']
>;
