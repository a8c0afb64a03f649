// The measured rows that docs/performance.md shows. A new measurement of a reader replaces its previous one.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Row } from './run-row.ts';

/** Rows of one state of the feed's code. */
export interface MeasuredTable {
  readonly title: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

const FILE = new URL('./measured.json', import.meta.url);
const NEVER = 'never';

export function readMeasured(): MeasuredTable[] {
  if (!existsSync(FILE)) return [];
  const revive = (_: string, value: unknown) => (value === NEVER ? Infinity : value);
  return JSON.parse(readFileSync(FILE, 'utf8'), revive) as MeasuredTable[];
}

export function recordRow(title: string, row: Row): void {
  const tables = readMeasured();
  const isSame = (other: Row) => other.setting === row.setting && other.groups === row.groups;
  const table = tables.find((one) => one.title === title) ?? { title, machine: '', rows: [] };
  const before = table.rows.find(isSame)?.readers ?? [];
  const kept = before.filter(({ name }) => row.readers.every((one) => one.name !== name));
  const rows = [
    ...table.rows.filter((other) => !isSame(other)),
    { ...row, readers: [...row.readers, ...kept] },
  ];
  const others = tables.map((one) => (one === table ? { title, machine: machine(), rows } : one));
  write(tables.includes(table) ? others : [...tables, { title, machine: machine(), rows }]);
}

function write(tables: readonly MeasuredTable[]): void {
  const replace = (_: string, value: unknown) => {
    if (value === Infinity) return NEVER;
    return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  };
  writeFileSync(FILE, `${JSON.stringify(tables, replace, 2)}\n`);
}

function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model
    .replace(/\((R|TM)\)|Processor/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${processors.length} × ${model}, Node ${process.versions.node}`;
}
