// A source's state as the table stores it: `n` its version, `b` the rest as a body.
import * as z from 'zod';
import { type SourceState, sourceStateBody } from '../../shared/source/source-state.ts';
import { type StoredItem, storedBytes, storedNumber } from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

const FORMAT = 1;

export function sourceStateKey(source: string): string {
  return `source/${source}`;
}

/** All attributes but key and version. */
export function toSourceStateAttributes({ source, version, ...rest }: SourceState): StoredItem {
  return { ...formatAttribute(FORMAT), b: { B: encodeBody(renamed(rest, STORED_NAMES)) } };
}

/** @throws UnreadableItemError */
export function fromSourceStateItem(item: StoredItem, source: string): SourceState {
  try {
    return readStored(item, { [FORMAT]: (stored) => readFormat1(stored, source) });
  } catch (error) {
    throw new UnreadableItemError(`The state of source "${source}" can't be read.`, { cause: error });
  }
}

function readFormat1(item: StoredItem, source: string): SourceState {
  const { n: version, b: body } = format1.parse(item);
  return { source, version, ...sourceStateBody.parse(renamed(decodeBody(body), OWN_NAMES)) };
}

const format1 = z.object({ n: storedNumber, b: storedBytes });

/** Fields that are stored under their names of the first release. */
const STORED_NAMES = new Map([
  ['feedReports', 'toTell'],
  ['driftReported', 'driftTold'],
  ['lastHoldReported', 'lastHoldTold'],
  ['setAsideReported', 'setAsideTold'],
  ['isOverThreshold', 'isMet'],
]);
const OWN_NAMES = new Map([...STORED_NAMES].map(([own, stored]) => [stored, own]));

/** The value with its objects' fields renamed, at any depth. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [names.get(name) ?? name, renamed(item, names)]),
  );
}
