// The list of declared sources as the stack stores it: JSON, with a marker for each value that only the deployment knows.
import { VALUE_MARKER } from '../../shared/deployment/value-marker.ts';

/** @throws Error for a text that is no list, and for a marker without a value */
export function parseList(text: string, values: Readonly<Record<string, string>>): readonly unknown[] {
  const list: unknown = JSON.parse(text, (_, value) => {
    const marker = typeof value === 'string' ? VALUE_MARKER.exec(value)?.[1] : undefined;
    if (marker === undefined) return value;
    if (values[marker] === undefined) throw new Error(`The list of sources has no value ${marker}.`);
    return values[marker];
  });
  if (!Array.isArray(list)) throw new Error('The list of sources is not a list.');
  return list;
}
