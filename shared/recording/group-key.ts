// `<source>_<generation>_<group id>`: the key of snapshots, ledger entries and marks, and an event's id without its
// number.
import { isOwnGroup } from '../contract/event-id.ts';
import type { GroupKey } from '../ports.ts';

const GROUP_KEY = /^([a-z0-9-]{1,30})_([a-z0-9]{1,12})_(feed|read|\d{1,16})$/;

export function formatGroupKey({ source, generation, group }: GroupKey): string {
  return `${source}_${generation}_${group}`;
}

/** @returns the parts, or undefined for a text that is not a group's key. */
export function parseGroupKey(text: string): GroupKey | undefined {
  const match = GROUP_KEY.exec(text);
  if (match === null) return undefined;
  const [, source = '', generation = '', group = ''] = match;
  return { source, generation, group: isOwnGroup(group) ? group : Number(group) };
}
