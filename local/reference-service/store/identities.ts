// The identifiers of a row. Some orders hold two groups, some customers have two orders.

import { mix } from './seeded-random.ts';

const FIRST_GROUP_ID = 100_001;
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

/** The number of the group's order; every twentieth group shares the order of the previous one. */
export const orderOf = (row: number): number => (row % 20 === 19 ? row - 1 : row);

/** The customer of the group's order; every fiftieth order is a second order of a customer. */
export const personOf = (row: number): number => {
  const order = orderOf(row);
  return order % 50 === 7 ? order - 3 : order;
};

/** The label of a shipment: its carrier and tracking number. */
export function labelOf(seed: number, row: number, place: number) {
  const { name, prefix } = CARRIERS[mix(seed, row, 12) % CARRIERS.length] ?? CARRIERS[0];
  return { carrier: name, tracking_number: `${prefix}${String(row * 10 + place).padStart(11, '0')}` };
}
