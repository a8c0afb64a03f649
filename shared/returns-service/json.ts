export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The kind of a value in words that fit after "is", for messages that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'object') return 'an object';
  if (typeof value !== 'number') return `a ${typeof value}`;
  if (Number.isInteger(value)) return 'a whole number';
  return Number.isFinite(value) ? 'a fraction' : 'an infinite number';
}
