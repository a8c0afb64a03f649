// Finds where the values of a list end, and counts what they hold, without reading them: a few kilobytes, compressed,
// may hold millions of objects, which JSON.parse turns into hundreds of megabytes. A cheap pass over the bytes that
// knows texts and escapes. It may run on anything: of bytes that are no JSON, JSON.parse reads no more than was counted.

export interface JsonCounts {
  /** Objects and lists on the third level, such as the shipments of a group. */
  entities: number;
  /** Objects and lists. */
  objects: number;
  /** Everything that has a place of its own: objects, lists, texts, numbers. */
  values: number;
  /** Objects and lists within each other. */
  levels: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** The bit in which `[` differs from `{`, and `]` from `}`. */
const CURLED = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The value is the first level, a list in it the second. */
const ENTITY_LEVEL = 3;

/**
 * Returns the index of the comma or bracket behind the value at `from`, or the length of the bytes. Adds to `counts`,
 * and stops anywhere as soon as one is above its bound.
 */
export function findEndOfValue(
  json: Uint8Array,
  from: number,
  counts: JsonCounts,
  bounds: Readonly<JsonCounts>,
): number {
  let depth = 0;
  let index = from;
  counts.values += 1;
  for (; index < json.length; index += 1) {
    const byte = json[index] as number;
    if (byte === QUOTE) index = endOfText(json, index);
    else if (byte === COMMA) {
      if (depth === 0) break;
      counts.values += 1;
    } else if ((byte | CURLED) === OPEN) {
      depth += 1;
      counts.objects += 1;
      counts.values += 1;
      counts.levels = Math.max(counts.levels, depth);
      if (depth === ENTITY_LEVEL) counts.entities += 1;
      if (counts.objects > bounds.objects || depth > bounds.levels) break;
    } else if ((byte | CURLED) === CLOSE) {
      if (depth === 0) break;
      depth -= 1;
    }
    if (counts.values > bounds.values) break;
  }
  return Math.min(index, json.length);
}

/** The index of the closing quote; the length of the bytes or more if there is none. */
function endOfText(json: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== QUOTE) index += json[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** The name of the first count above its bound; undefined if there is none. */
export function findExceeded<Counts extends object>(
  counts: Counts,
  bounds: Counts,
): keyof Counts | undefined {
  return (Object.keys(bounds) as (keyof Counts)[]).find((name) => counts[name] > bounds[name]);
}
