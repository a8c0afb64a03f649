/**
 * Whether a JSON-like value already says all that another one says. What only the known value has is of no matter,
 * nor is the order of keys; absent and undefined are one.
 */
export function saysTheSame(known: unknown, seen: unknown): boolean {
  if (known === seen) return true;
  if (typeof known !== 'object' || typeof seen !== 'object' || known === null || seen === null) return false;
  if (Array.isArray(seen)) return Array.isArray(known) && isSameList(known, seen);
  // Twice as fast as Object.entries; what JSON.parse or a literal makes has no inherited keys.
  for (const name in seen) {
    if (!saysTheSame((known as Fields)[name], (seen as Fields)[name])) return false;
  }
  return true;
}

type Fields = Readonly<Record<string, unknown>>;

function isSameList(known: readonly unknown[], seen: readonly unknown[]): boolean {
  return known.length === seen.length && seen.every((element, index) => saysTheSame(known[index], element));
}
