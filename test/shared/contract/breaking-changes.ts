// The rule for changing an event, as a comparison of two schemas. Readers of a version keep its schema while newer
// events arrive, and old events are replayed to present readers. So the fields of a version must not change; only
// optional fields may be added.
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './published-schemas.ts';

/** Keywords without effect on validity. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['$schema', '$id', 'title', 'description', 'examples']);

/** @returns a sentence for each change that needs a new version; none if `after` may replace `before` */
export function breakingChanges(before: JsonSchema, after: JsonSchema, place = ''): string[] {
  return [
    ...changedFields(before, after, place),
    ...addedFields(before, after, place),
    ...changedKeywords(before, after, place),
  ];
}

function changedFields(before: JsonSchema, after: JsonSchema, place: string): string[] {
  return Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const field = placeOf(place, name);
    const now = after.properties?.[name];
    if (now === undefined) return [`${field} is gone.`];
    const [was, is] = [before, after].map(({ required = [] }) => required.includes(name));
    const presence =
      was === is ? [] : [`${field} is ${is ? 'no longer optional' : 'no longer always there'}.`];
    return [...presence, ...breakingChanges(schema, now, field)];
  });
}

function addedFields(before: JsonSchema, after: JsonSchema, place: string): string[] {
  return Object.keys(after.properties ?? {})
    .filter((name) => before.properties?.[name] === undefined && after.required?.includes(name))
    .map((name) => `${placeOf(place, name)} is new and not optional: earlier events do not have it.`);
}

function changedKeywords(before: JsonSchema, after: JsonSchema, place: string): string[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keywords]
    .filter((keyword) => !ANNOTATIONS.has(keyword) && keyword !== 'properties' && keyword !== 'required')
    .flatMap((keyword) => changedKeyword(keyword, before[keyword], after[keyword], place));
}

function changedKeyword(keyword: string, before: unknown, after: unknown, place: string): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isSchema(before) && isSchema(after)) return breakingChanges(before, after, `${place}[]`);
  if (
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length &&
    before.every(isSchema)
  )
    return before.flatMap((schema, index) => breakingChanges(schema, after[index], place));
  return [`${place || 'The event'} changed its ${keyword} from ${show(before)} to ${show(after)}.`];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placeOf(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'none';
}
