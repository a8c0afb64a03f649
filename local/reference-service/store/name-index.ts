// Finds candidate rows for a filter on an id, an e-mail address, an order or a tracking number. Base rows are computed
// (identities.ts); names that changes gave to a group are stored. The caller checks the groups themselves.

import type { Change } from './change.ts';
import {
  emailOf,
  orderIdOf,
  orderNameOf,
  rowOfGroupId,
  rowsOfEmail,
  rowsOfOrderId,
  rowsOfOrderName,
  rowsOfTrackingNumber,
  trackingNumberOf,
} from './identities.ts';
import { type GroupFilter, isMatch, type Manner } from './query.ts';
import type { StoredGroup } from './stored-group.ts';

export interface NameIndex {
  /** Rows that may match, or undefined if the filter has no name: then every row may match. */
  candidates(filter: GroupFilter, strings: Manner['strings'], rows: number): number[] | undefined;
  note(change: Change): void;
}

export function createNameIndex(seed: number): NameIndex {
  const noted = new Map<string, Set<number>>();

  const note = (name: string, row: number): void => {
    const rows = noted.get(name) ?? new Set();
    noted.set(name, rows.add(row));
  };

  const found = (kind: string, name: string | number, byArithmetic: readonly number[]): number[] => [
    ...new Set([...byArithmetic, ...(noted.get(`${kind} ${name}`.toLowerCase()) ?? [])]),
  ];

  /** The rows of all matching names. Checks every name, which is slow for a million rows, as in any service. */
  const partial = (kind: string, wanted: string, rows: number, nameOf: (row: number) => string): number[] => {
    const matches = new Set<number>();
    for (let row = 0; row < rows; row += 1) if (isMatch(nameOf(row), wanted, 'partial')) matches.add(row);
    for (const [name, holders] of noted) {
      if (name.startsWith(`${kind} `) && name.slice(kind.length + 1).includes(wanted.toLowerCase())) {
        for (const row of holders) matches.add(row);
      }
    }
    return [...matches];
  };

  return {
    candidates(filter, strings, rows) {
      const { groupId, orderId, email, orderName, trackingCode } = filter;
      const find = (
        kind: string,
        name: string,
        rowsOf: (name: string) => readonly number[],
        nameOf: (row: number) => string,
      ) => (strings === 'partial' ? partial(kind, name, rows, nameOf) : found(kind, name, rowsOf(name)));
      if (groupId !== undefined) return [rowOfGroupId(groupId)];
      if (orderId !== undefined) return found('order', orderId, rowsOfOrderId(orderId));
      if (orderName !== undefined) return find('name', orderName, rowsOfOrderName, orderNameOf);
      if (email !== undefined) return find('email', email, rowsOfEmail, (row) => emailOf(seed, row));
      if (trackingCode === undefined) return undefined;
      return find('tracking', trackingCode, rowsOfTrackingNumber, (row) => allTrackingNumbers(seed, row));
    },
    note({ row, after }) {
      if (after === undefined) return;
      for (const name of unusualNames(seed, row, after)) note(name.toLowerCase(), row);
    },
  };
}

function unusualNames(seed: number, row: number, group: StoredGroup): string[] {
  const names: string[] = [];
  if (group.order.id !== orderIdOf(row)) names.push(`order ${group.order.id}`);
  if (group.order.name !== orderNameOf(row)) names.push(`name ${group.order.name}`);
  if (group.customer.email !== emailOf(seed, row)) names.push(`email ${group.customer.email}`);
  for (const { tracking_number } of group.shipments) {
    if (tracking_number !== null && !rowsOfTrackingNumber(tracking_number).includes(row)) {
      names.push(`tracking ${tracking_number}`);
    }
  }
  return names;
}

/** All possible tracking numbers of a row: a shipment's place is the last digit. */
function allTrackingNumbers(seed: number, row: number): string {
  const first = trackingNumberOf(seed, row, 0).slice(0, -1);
  return Array.from({ length: 10 }, (_, place) => `${first}${place}`).join(' ');
}

/** Whether a group matches all filters except ranges. */
export function isNamed(group: StoredGroup, filter: GroupFilter, strings: Manner['strings']): boolean {
  const { groupId, orderId, email, orderName, trackingCode } = filter;
  if (groupId !== undefined && group.id !== groupId) return false;
  if (orderId !== undefined && group.order.id !== orderId) return false;
  if (email !== undefined && !isMatch(group.customer.email, email, strings)) return false;
  if (orderName !== undefined && !isMatch(group.order.name, orderName, strings)) return false;
  if (trackingCode === undefined) return true;
  return group.shipments.some(({ tracking_number }) => isMatch(tracking_number, trackingCode, strings));
}
