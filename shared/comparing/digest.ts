// Sixty-four bits in place of a whole group, to detect that it reads as before, in a fraction of the time of
// JSON.stringify and of its memory (docs/decisions/0003). Two different groups with one digest would hide a change
// until its next one; by chance that is one in 2^64. Not cryptographic: do not use
// it where somebody gains from finding a second text with the same digest.

/** Two words, mixed alike with different multipliers. */
interface Lanes {
  left: number;
  right: number;
}

/**
 * The digest of all values in a JSON-like value, in the order of its keys. Undefined differs from null: otherwise the
 * removal of an entity that could not be read would show nothing. The keys themselves do not count: compare digests of
 * objects whose keys have the same order, as projections have.
 */
export function digestOf(value: unknown): string {
  const lanes: Lanes = { left: 0x811c9dc5, right: 0x9e3779b9 };
  mixValue(value, lanes);
  return `${lanes.left >>> 0}.${lanes.right >>> 0}`;
}

// No number in JSON begins with these words, and no text or list is that long.
const NOTHING = 0x7ff80001;
const FALSE = 0x7ff80002;
const TRUE = 0x7ff80003;
const UNSHOWN = 0x7ff80004;

function mixValue(value: unknown, lanes: Lanes): void {
  if (typeof value === 'string') mixText(value, lanes);
  else if (value === null) mixWord(NOTHING, lanes);
  else if (value === undefined) mixWord(UNSHOWN, lanes);
  else if (typeof value === 'number') mixNumber(value, lanes);
  else if (typeof value === 'boolean') mixWord(value ? TRUE : FALSE, lanes);
  else if (Array.isArray(value)) {
    mixWord(value.length, lanes);
    for (const element of value) mixValue(element, lanes);
  } else {
    // Twice as fast as Object.values; objects made by JSON.parse or a literal have no inherited keys.
    for (const name in value) mixValue((value as Record<string, unknown>)[name], lanes);
  }
}

const float = new Float64Array(1);
const halves = new Int32Array(float.buffer);

/** Amounts have at most a few digits after the point: more are the noise of floating point. */
const PRECISION = 1e6;

function mixNumber(value: number, lanes: Lanes): void {
  float[0] = Number.isInteger(value) ? value : Math.round(value * PRECISION) / PRECISION;
  mixWord(halves[1] ?? 0, lanes);
  mixWord(halves[0] ?? 0, lanes);
}

/** Each step can be undone, so values that differ in one word alone never collide. */
function mixWord(word: number, lanes: Lanes): void {
  const left = Math.imul(lanes.left ^ word, 0x85ebca6b);
  const right = Math.imul(lanes.right ^ word, 0xc2b2ae35);
  lanes.left = left ^ (left >>> 15);
  lanes.right = right ^ (right >>> 16);
}

/** Mixes the length first, so that a letter that moves from one text to the next shows. Two letters make a word. */
function mixText(text: string, lanes: Lanes): void {
  const { length } = text;
  mixWord(length, lanes);
  let { left, right } = lanes;
  for (let index = 0; index < length; index += 2) {
    // A letter that is left over counts twice.
    const next = text.charCodeAt(Math.min(index + 1, length - 1));
    const word = text.charCodeAt(index) | (next << 16);
    left = Math.imul(left ^ word, 0x85ebca6b);
    right = Math.imul(right ^ word, 0xc2b2ae35);
    left ^= left >>> 15;
    right ^= right >>> 16;
  }
  lanes.left = left;
  lanes.right = right;
}
