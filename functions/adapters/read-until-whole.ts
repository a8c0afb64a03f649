// A store that answers a batch in part: what it left unread is asked for again, and never taken for absent.
import { backOff, MAX_FRUITLESS_TRIES, type Patience } from './backoff.ts';

export interface PartialAnswer<Key, Item> {
  readonly items: readonly Item[];
  /** Keys that were not looked at. */
  readonly left: readonly Key[];
}

/**
 * @returns the items that exist, in any order
 * @throws when some of them could not be read
 */
export async function readUntilWhole<Key, Item>(
  keys: readonly Key[],
  read: (keys: readonly Key[]) => Promise<PartialAnswer<Key, Item>>,
  patience: Patience,
): Promise<Item[]> {
  const found: Item[] = [];
  let missing = keys;
  for (let fruitlessTries = 0; missing.length > 0; ) {
    if (fruitlessTries === MAX_FRUITLESS_TRIES) {
      throw new Error(`The store left ${missing.length} of ${keys.length} items unread, again and again.`);
    }
    if (fruitlessTries > 0) await backOff(patience, fruitlessTries);
    const { items, left } = await read(missing);
    found.push(...items);
    fruitlessTries = left.length < missing.length ? 0 : fruitlessTries + 1;
    missing = left;
  }
  return found;
}
