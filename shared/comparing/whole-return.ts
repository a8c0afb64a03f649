// A whole return as it was last published: a row of `export`, and the content of a webhook's `return.changed`.
import type { WholeReturn } from '../contract/return-message.ts';
import { formatInstant } from '../instant.ts';
import { asPublished } from './change-set.ts';
import { entitiesOf, type Snapshot } from './snapshot.ts';

/**
 * `entities` are as in the events with the same fields; `sequence` is the number of the last one, 0 before the first.
 */
export function wholeReturn(generation: string, snapshot: Snapshot): WholeReturn {
  const { projection, sequence } = snapshot;
  const { group, refund_transactions } = projection;
  const watched = entitiesOf(projection);
  return {
    return_group: asPublished(group, snapshot),
    updated_at: formatInstant(snapshot.updatedAt),
    entities: [...watched.map((entity) => asPublished(entity, snapshot)), ...(refund_transactions ?? [])],
    generation,
    sequence,
  };
}
