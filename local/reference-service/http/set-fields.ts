// Converts fields by path, for instance `shipments.0.status`, to an alteration. Stamps may be texts.

import { parseStamp } from '../../../shared/instant.ts';
import type { Alteration } from '../store/changes-by-hand.ts';

/** An alteration that sets the fields; it throws a RangeError for a path that the group does not have. */
export function setFields(fields: Readonly<Record<string, unknown>>): Alteration {
  return (draft) => {
    for (const [path, value] of Object.entries(fields)) setField(draft, path, value);
  };
}

function setField(draft: object, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holder: unknown = draft;
  for (const name of names)
    holder = isHolder(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
  if (!isHolder(holder) || !Object.hasOwn(holder, last))
    throw new RangeError(`a return group has no ${path}`);
  holder[last] = last.endsWith('_at') && typeof value === 'string' ? instantOf(path, value) : value;
}

function instantOf(path: string, text: string): number {
  const stamp = parseStamp(text);
  if (stamp === undefined) throw new RangeError(`${path} takes a date-time, not "${text}"`);
  return stamp.instant;
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
