// Writes groups as the rows of an answer. Caches the text of unchanged groups, because most groups are read repeatedly.

import { type Knobs, UNREADABLE_WAYS } from '../knobs.ts';
import type { Random } from '../store/seeded-random.ts';
import type { StoredGroup } from '../store/stored-group.ts';
import { breakRow, convert } from './convert.ts';
import { deviate, ENTITY_ARRAYS, omitNulls, type Shown, type ShownGroup, showGroup } from './show-group.ts';
import { stampFormOf } from './stamp-form.ts';

/** Writes the rows of one answer. */
export type RowWriter = (group: StoredGroup) => string;

export function createRowWriters(random: Random): (knobs: Knobs) => RowWriter {
  let written = new WeakMap<StoredGroup, string>();
  let writtenWith = '';
  return (knobs) => {
    const look = JSON.stringify(knobs);
    if (look !== writtenWith) written = new WeakMap();
    writtenWith = look;
    const { write } = stampFormOf(knobs);
    const isRandom = knobs.flickers || knobs.ties === 'unstable';
    return (group) => {
      const known = written.get(group);
      if (known !== undefined) return known;
      const text = JSON.stringify(rowOf(deviate(showGroup(group, write), knobs), knobs, random));
      if (!isRandom) written.set(group, text);
      return text;
    };
  };
}

const FLICKER = 0.15;

/** The row, which may not be a group at all. */
function rowOf(group: ShownGroup, knobs: Knobs, random: Random): unknown {
  const { ties, flickers, omissions, unreadableEvery, unreadableAs, brokenEvery } = knobs;
  if (ties === 'unstable') for (const name of ENTITY_ARRAYS) random.shuffle(group[name]);
  if (flickers || omissions === 'samples') omitNulls(group, () => !flickers || random.chance(FLICKER));
  if (omissions === 'some') omitNulls(group, (place) => place % 2 === 0);
  const id = Number(group.id);
  if (unreadableEvery > 0 && id % unreadableEvery === 0)
    return makeUnreadable(group, unreadableAs, id / unreadableEvery);
  for (const name of ENTITY_ARRAYS) {
    const isEmpty = group[name].length === 0 && (omissions === 'samples' || omissions === 'all');
    if (!isEmpty && !(flickers && random.chance(FLICKER))) continue;
    const row: Shown = group;
    if (omissions === 'samples') row[name] = null;
    else delete row[name];
  }
  if (knobs.nullStamps === 'never-updated' && group.updated_at === group.created_at)
    Object.assign(group, NO_STAMP);
  const broken = brokenEvery > 0 && id % brokenEvery === 0 ? breakRow(group, id / brokenEvery) : group;
  return knobs.values === 'converted' ? convert(broken) : broken;
}

const NO_STAMP = { updated_at: null };

type Way = (typeof UNREADABLE_WAYS)[number];

const WAYS = {
  'no-object': () => 'return group unavailable',
  'no-id': ({ id: _id, ...rest }) => rest,
  'null-row': () => null,
  'id-as-text': (group) => ({ ...group, id: `RG-${String(group.id)}` }),
  // Beyond 2^53, where JSON.parse rounds and two ids become one.
  'huge-id': (group) => ({ ...group, id: 9_007_199_254_740_992 + Number(group.id) }),
  'bad-stamp': (group) => ({ ...group, created_at: 'yesterday' }),
} satisfies Record<Way, (group: ShownGroup) => unknown>;

/** An unreadable row, for each group always in the same way. @param turn selects the way for `mixed` */
function makeUnreadable(group: ShownGroup, way: Way | 'mixed', turn: number): unknown {
  const mixed = UNREADABLE_WAYS[turn % UNREADABLE_WAYS.length] as Way;
  return WAYS[way === 'mixed' ? mixed : way](group);
}
