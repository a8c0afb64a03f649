// Mishaps of a whole source in a run; world/mishaps.ts defines them.
export const MISHAP_NAMES = [
  'other store',
  'empty store',
  'other address',
  'address moved',
  'blind token',
  'lists empty',
  'lists empty, and released',
  'groups hidden',
  'old groups hidden',
  'look-ups answered otherwise',
  'shipments hidden',
  'answered otherwise',
  'groups removed',
  'store emptied',
  'store replaced',
  'shipments removed',
  'changed without stamps',
] as const;

export type MishapName = (typeof MISHAP_NAMES)[number];

/** Only `--profile open-groups` draws it. */
export const MISHAP_OF_LOOK_UPS = 'look-ups answered otherwise' satisfies MishapName;

export const ADDRESS_MISHAPS = ['other address', 'address moved'] as const satisfies readonly MishapName[];
