// Looks in the stored states for an order name, a tracking number or the id of an entity. On one machine all groups are
// searched. A deployment has no index of texts, so the search there is bounded, and says where it ended.
import { keyOf } from '../../shared/comparing/change-set.ts';
import { entitiesOf, type Snapshot } from '../../shared/comparing/snapshot.ts';
import { chunked } from '../../shared/in-parallel.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { OpenFeed } from './open-feed.ts';

/** The kinds of text that a search compares. */
export type StoredText = 'order_name' | 'tracking_number' | 'entity_id';

const MOST_GROUPS = 2_000;
/** Snapshots read at once. */
const READ_GROUPS = 100;

/**
 * @param text an order name or a tracking number in any letter case, with or without blanks and `#`; an entity's id,
 *   or its kind and id, for instance `shipment/77120`
 * @param most groups that are searched
 * @returns the matches to the letter, or else those in another spelling; how many groups were searched, and whether these
 *   were all that can have the text
 */
export async function findStored(
  { lists, store }: Pick<OpenFeed, 'lists' | 'store'>,
  state: Pick<SourceState, 'source' | 'generation'>,
  text: string,
  as: readonly StoredText[],
  most = MOST_GROUPS,
) {
  const ids = await lists.candidates(state, tellingPart(text), most);
  const found: StoredMatch[] = [];
  for (const some of chunked(ids, READ_GROUPS)) {
    const snapshots = await store.load(state, some);
    for (const snapshot of snapshots.values())
      found.push(...matchesIn(snapshot, text).filter(({ matched }) => as.includes(matched)));
  }
  const literal = found.filter(({ isLiteral }) => isLiteral);
  return {
    found: (literal.length > 0 ? literal : found).map(({ isLiteral: _, ...match }) => match),
    groups: ids.length,
    isWhole: ids.length < most,
  };
}

interface StoredMatch {
  readonly returnGroupId: number;
  readonly matched: StoredText;
  readonly entity?: string;
  readonly isLiteral: boolean;
}

function matchesIn({ groupId: returnGroupId, projection }: Snapshot, text: string): StoredMatch[] {
  const spelled = withoutSpelling(text);
  const named = (names: readonly (string | null | undefined)[], matched: StoredText): StoredMatch[] => {
    const isLiteral = names.includes(text);
    const isSame =
      isLiteral || names.some((name) => name && spelled !== '' && withoutSpelling(name) === spelled);
    return isSame ? [{ returnGroupId, matched, isLiteral }] : [];
  };
  return [
    ...named([projection.group.order.name], 'order_name'),
    ...named(projection.shipments?.map(({ tracking_number }) => tracking_number) ?? [], 'tracking_number'),
    ...entitiesOf(projection)
      .filter((entity) => text === String(entity.id) || text === keyOf(entity))
      .map((entity) => ({
        returnGroupId,
        matched: 'entity_id' as const,
        entity: keyOf(entity),
        isLiteral: true,
      })),
  ];
}

/** Without letter case, blanks and the `#` of an order. */
function withoutSpelling(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s/g, '').replace(/^#/, '');
}

/** The longest run of letters and digits, of those with a digit if there are any: few other states have it. */
function tellingPart(text: string): string {
  const runs = text.match(/[a-z0-9]+/gi) ?? text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const numbered = runs.filter((run) => /\d/.test(run));
  return (numbered.length > 0 ? numbered : runs).reduce((a, b) => (b.length > a.length ? b : a), '');
}
