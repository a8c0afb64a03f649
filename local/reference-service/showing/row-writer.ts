// Writes groups as the rows of an answer. Caches the text of unchanged groups, because most groups are read repeatedly.

import type { Knobs } from '../knobs.ts';
import type { Random } from '../store/seeded-random.ts';
import type { StoredGroup } from '../store/stored-group.ts';
import { deviate } from './deviate.ts';
import { showGroup } from './show-group.ts';
import { stampFormsOf } from './stamp-form.ts';

/** Writes the rows of one answer. */
export type RowWriter = (group: StoredGroup) => string;

export function createRowWriters(random: Random): (knobs: Knobs) => RowWriter {
  let written = new WeakMap<StoredGroup, string>();
  let writtenWith = '';
  return (knobs) => {
    const look = JSON.stringify(knobs);
    if (look !== writtenWith) written = new WeakMap();
    writtenWith = look;
    const stamps = stampFormsOf(knobs);
    const isKept = !isRandom(knobs);
    return (group) => {
      const known = written.get(group);
      if (known !== undefined) return known;
      const text = JSON.stringify(deviate(showGroup(group, stamps), knobs, random));
      if (isKept) written.set(group, text);
      return text;
    };
  };
}

function isRandom({ arrays, nulls, childOrder }: Knobs): boolean {
  return arrays === 'flicker' || nulls === 'flicker' || childOrder === 'shuffled';
}
