// The statuses that the service's document lists ("Enumerations"). Other statuses are published as well, but code that
// names a status means a listed one, and a typo must not compile.
import type { EventOf } from './event.ts';

/** The kinds of entity that have a status. */
export type StatusKind = 'return_line_item' | 'shipment' | 'exchange_line_item';

/** The listed literals of an open value. */
type Listed<Value> = Value extends string ? (string extends Value ? never : Value) : never;

/** The listed statuses of one kind. */
export type StatusOf<Kind extends StatusKind> = Listed<
  EventOf<`${Kind}.created`>['data']['object']['status']
>;
