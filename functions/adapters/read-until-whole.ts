// Calls a store that may answer a batch in part: the keys that are left are requested again, and never taken for absent.
// Batches of inserts and deletions are sent again by the same rule.
import { backOff, MAX_FRUITLESS_TRIES, type Patience } from './backoff.ts';

export interface PartialAnswer<Key, Item> {
  readonly items: readonly Item[];
  /** Keys that were not read. */
  readonly left: readonly Key[];
}

/**
 * @param failure the error's words for keys that stay unread
 * @returns the items that exist, in any order
 * @throws if some could not be read
 */
export async function readUntilWhole<Key, Item>(
  keys: readonly Key[],
  read: (keys: readonly Key[]) => Promise<PartialAnswer<Key, Item>>,
  patience: Patience,
  failure = (left: number) => `The store left ${left} of ${keys.length} items unread`,
): Promise<Item[]> {
  const found: Item[] = [];
  let missing = keys;
  for (let fruitlessTries = 0; missing.length > 0; ) {
    if (fruitlessTries === MAX_FRUITLESS_TRIES)
      throw new Error(`${failure(missing.length)}, ${fruitlessTries} times in a row.`);
    if (fruitlessTries > 0) await backOff(patience, fruitlessTries);
    const { items, left } = await read(missing);
    found.push(...items);
    fruitlessTries = left.length < missing.length ? 0 : fruitlessTries + 1;
    missing = left;
  }
  return found;
}
