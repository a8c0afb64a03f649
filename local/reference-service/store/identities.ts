// The identifiers of a row. Ids, order names, e-mail addresses and tracking numbers are computed from the row, and the
// row from them: a filter on one of them finds its few candidate rows among a million without an index. Some orders
// hold two groups, some customers have two orders.

import { FIRST_NAMES, LAST_NAMES } from './catalogue.ts';
import { mix } from './seeded-random.ts';

const FIRST_GROUP_ID = 100_001;
const FIRST_ORDER_ID = 5_000_001;
const FIRST_ORDER_NUMBER = 1_001;
const CARRIERS = [
  { name: 'UPS', prefix: '1ZR8A2' },
  { name: 'USPS', prefix: '9400111' },
  { name: 'FedEx', prefix: '7791' },
  { name: 'DHL', prefix: 'JD014' },
] as const;

export const groupIdOf = (row: number): number => FIRST_GROUP_ID + row;
export const rowOfGroupId = (id: number): number => id - FIRST_GROUP_ID;

export const lineItemId = (groupId: number, place: number): number => groupId * 100 + place + 1;
export const shipmentId = (groupId: number, place: number): number => groupId * 10 + place + 1;
export const exchangeId = (groupId: number, place: number): string => `exl_${groupId}_${place + 1}`;

/** The number of the group's order; every twentieth group shares the order of the previous one. */
export const orderOf = (row: number): number => (row % 20 === 19 ? row - 1 : row);
export const orderIdOf = (row: number): number => FIRST_ORDER_ID + orderOf(row);
export const orderNameOf = (row: number): string => `#${FIRST_ORDER_NUMBER + orderOf(row)}`;

/** The customer of the group's order; every fiftieth order is a second order of a customer. */
export const personOf = (row: number): number => {
  const order = orderOf(row);
  return order % 50 === 7 ? order - 3 : order;
};

export function nameOf(seed: number, person: number): { first: string; last: string } {
  const hash = mix(seed, person, 11);
  return {
    first: FIRST_NAMES[hash % FIRST_NAMES.length] ?? 'Ada',
    last: LAST_NAMES[(hash >>> 8) % LAST_NAMES.length] ?? 'Smith',
  };
}

export function emailOf(seed: number, row: number): string {
  const person = personOf(row);
  const { first, last } = nameOf(seed, person);
  return `${first}.${last}.${person.toString(36)}@example.com`.toLowerCase();
}

export function carrierOf(seed: number, row: number): string {
  return carrier(seed, row).name;
}

export function trackingNumberOf(seed: number, row: number, place: number): string {
  return `${carrier(seed, row).prefix}${String(row * 10 + place).padStart(11, '0')}`;
}

function carrier(seed: number, row: number): (typeof CARRIERS)[number] {
  return CARRIERS[mix(seed, row, 12) % CARRIERS.length] ?? CARRIERS[0];
}

/** Candidate rows for this order id; some of them may not exist. */
export function rowsOfOrderId(id: number): number[] {
  return rowsOfOrder(id - FIRST_ORDER_ID);
}

export function rowsOfOrderName(name: string): number[] {
  const number = /^#(\d{1,12})$/.exec(name)?.[1];
  return number === undefined ? [] : rowsOfOrder(Number(number) - FIRST_ORDER_NUMBER);
}

export function rowsOfEmail(email: string): number[] {
  const person = /\.([0-9a-z]{1,9})@example\.com$/i.exec(email)?.[1];
  if (person === undefined) return [];
  const first = Number.parseInt(person, 36);
  return [first, first + 3].flatMap(rowsOfOrder);
}

export function rowsOfTrackingNumber(trackingNumber: string): number[] {
  const digits = /(\d{11})$/.exec(trackingNumber)?.[1];
  return digits === undefined ? [] : [Math.floor(Number(digits) / 10)];
}

function rowsOfOrder(order: number): number[] {
  return [order, order + 1].filter((row) => row >= 0 && orderOf(row) === order);
}
