// G1: the next poll finds changes that moved `updated_at` and showed within the lookback. After stamps fell back, walks
// find every change, so nothing is missing; but if no poll ever sees a change again, each comes as late as a walk.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';
import { isEntityEvent } from './states.ts';

/** Walks may be the first to find a few changes. */
const MANY = 8;

export function checkPollsSee({ pollsSeeFrom }: Evidence, { source, written }: SourceEvidence): Violation[] {
  if (pollsSeeFrom === undefined) return [];
  const later = written
    .filter(({ at }) => at >= pollsSeeFrom)
    .flatMap(({ event }) => (isEntityEvent(event) ? event : []));
  const groups = new Set(later.map(({ subject }) => subject));
  const isSeen = later.some(({ data }) => data.observed.through === 'poll');
  if (groups.size < MANY || isSeen) return [];
  return [
    {
      guarantee: 'G1',
      source,
      message: `stamps fell back, and since then no poll has seen a change: walks found those of ${groups.size} groups`,
    },
  ];
}
