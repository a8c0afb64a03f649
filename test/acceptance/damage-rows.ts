// The changes that a scenario makes to the rows of an answer.
import type { Fields } from './history.ts';
import type { Random } from './random.ts';

/** The lists of a group's parts. */
export const PARTS = ['shipments', 'returns', 'exchange_line_items', 'refund_transactions'];

export function without(row: Fields, name: string): Fields {
  return Object.fromEntries(Object.entries(row).filter(([key]) => key !== name));
}

export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (part === null ? [] : [[name, withoutNulls(part)]])),
  );
}

export function moneyAsText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moneyAsText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === 'amount' && typeof part === 'number' ? part.toFixed(2) : moneyAsText(part),
    ]),
  );
}

export function itemMoneyAsText(row: Fields): Fields {
  const parts = ['returns', 'exchange_line_items'].filter((name) => name in row);
  return { ...row, ...Object.fromEntries(parts.map((name) => [name, moneyAsText(row[name])])) };
}

/** Makes a few rows unreadable between two ages of the service; the seed draws which rows, and how. */
export function unreadableFor(
  random: Random,
  from: number,
  until: number,
): (row: Fields, age: number) => unknown {
  const residue = random.between(0, 24);
  const shapes = [
    () => ({}),
    (row: Fields) => ({ ...row, id: null }),
    (row: Fields) => ({ ...row, id: String(row.id) }),
    () => null,
    (row: Fields) => without(row, 'id'),
  ];
  const first = random.between(0, shapes.length - 1);
  return (row, age) => {
    const id = Number(row.id);
    if (id % 25 !== residue || age < from || age > until) return row;
    return shapes[(first + Math.floor(id / 25)) % shapes.length]!(row);
  };
}
