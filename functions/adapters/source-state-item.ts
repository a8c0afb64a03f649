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
  return { ...formatAttribute(FORMAT), b: { B: encodeBody(rest) } };
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
  return { source, version, ...sourceStateBody.parse(decodeBody(body)) };
}

const format1 = z.object({ n: storedNumber, b: storedBytes });
