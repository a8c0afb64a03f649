// What an operator does in a run, at any moment: what the commands do, by the functions that they use.
import { createRandom, mix } from '../../local/reference-service/store/seeded-random.ts';
import { OPERATION_NAMES, type Operation } from './operation-names.ts';
import { isSteady, type Plan } from './plan.ts';

const SHARE = 0.08;

/**
 * Lets an operator do something in a small share of plans, each drawn on its own, so that all others stay as they were.
 * Not where something looks like another store: an operator who begins anew there asks for its groups to be announced.
 */
export function withOperations(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 78));
  if (!random.chance(SHARE) || plan.mishap !== undefined || !isSteady(plan)) return plan;
  const operations = Array.from({ length: 1 + random.below(2) }, (): Operation => {
    return { what: random.pick(OPERATION_NAMES), atMs: Math.floor(plan.activeMs * random.fraction()) };
  }).sort((a, b) => a.atMs - b.atMs);
  const isAbout = (what: string) => operations.some((operation) => operation.what.startsWith(what));
  // Only of groups that are behind there is anything to redrive, or to overtake.
  const refusedAtLeast = isAbout('replay from') ? 0.2 : isAbout('re') ? 0.05 : 0;
  const entryRefused = Math.max(plan.faults.entryRefused, refusedAtLeast);
  return { ...plan, operations, faults: { ...plan.faults, entryRefused } };
}
