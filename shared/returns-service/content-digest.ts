// Digests of values as JSON.parse makes them. The digests of a list's elements and of an object's fields are added up:
// so their order means nothing, and no text of the whole has to be made, which would take more memory than the answer.
import { isJsonObject } from './json.ts';

/** Values nested deeper than this do not count: a value may be nested deeper than calls can be. */
const DEEPEST = 50;

/**
 * Sixteen hexadecimal digits that do not depend on the order of lists and fields. They distinguish contents, protect
 * nothing and need no key.
 */
export function contentDigestOf(value: unknown): string {
  return [digest(value, SEEDS[0]), digest(value, SEEDS[1])].map(inHex).join('');
}

/** Two digests of 32 bits each, with other starts and multipliers (FNV-1a is the first). */
const SEEDS = [
  { start: 0x811c9dc5, factor: 0x01000193 },
  { start: 0x9e3779b9, factor: 0x85ebca6b },
] as const;
type Seed = (typeof SEEDS)[number];

function digest(value: unknown, seed: Seed, depth = 0): number {
  if (depth > DEEPEST) return seed.start;
  if (typeof value === 'string') return ofText(value, ofNumber(seed.start, 1, seed), seed);
  let sum = 0;
  if (Array.isArray(value)) {
    for (const element of value) sum = (sum + digest(element, seed, depth + 1)) | 0;
    return ofNumber(ofNumber(sum, value.length, seed), 2, seed);
  }
  if (!isJsonObject(value)) return ofText(String(value), seed.start, seed);
  let fields = 0;
  for (const name in value) {
    fields += 1;
    sum = (sum + ofText(name, digest(value[name], seed, depth + 1), seed)) | 0;
  }
  return ofNumber(ofNumber(sum, fields, seed), 3, seed);
}

function ofText(text: string, from: number, seed: Seed): number {
  let hash = from;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), seed.factor);
  }
  return mixed(hash);
}

function ofNumber(from: number, number: number, { factor }: Seed): number {
  return mixed(Math.imul(from ^ number, factor));
}

/** Spreads each bit, so that sums of similar values differ. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return half ^ (half >>> 15);
}

function inHex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}
