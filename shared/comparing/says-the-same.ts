/**
 * Whether a known JSON-like value already contains everything in a seen one. Values that only the known one has do not
 * matter, nor does the order of keys; undefined says nothing.
 */
export function saysTheSame(known: unknown, seen: unknown): boolean {
  if (known === seen || seen === undefined) return true;
  if (typeof known !== 'object' || typeof seen !== 'object' || known === null || seen === null) return false;
  if (Array.isArray(seen)) return Array.isArray(known) && isSameList(known, seen);
  // Twice as fast as Object.entries; objects made by JSON.parse or a literal have no inherited keys.
  for (const name in seen) {
    if (!saysTheSame((known as Fields)[name], (seen as Fields)[name])) return false;
  }
  return true;
}

type Fields = Readonly<Record<string, unknown>>;

function isSameList(known: readonly unknown[], seen: readonly unknown[]): boolean {
  return known.length === seen.length && seen.every((element, index) => saysTheSame(known[index], element));
}
