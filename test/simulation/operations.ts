// The operator's commands at any moment of a run. They call the same functions as the real commands.
import { createRandom, mix } from '../../local/reference-service/store/seeded-random.ts';
import { OPERATION_NAMES, type Operation } from './operation-names.ts';
import { isSteady, type Plan } from './plan.ts';

const SHARE = 0.08;

/**
 * Adds operations to a small share of plans, drawn separately, so that all other plans stay unchanged. Plans with a
 * mishap get none, because a new generation announces all of the mishap's groups; nor do plans in which the service,
 * its access or the schedule changes, or nothing may delay a walk.
 */
export function withOperations(plan: Plan): Plan {
  const random = createRandom(mix(plan.seed, 78));
  const isLeftAlone = plan.mishap !== undefined || plan.openWalksEndEveryMs !== undefined || !isSteady(plan);
  if (!random.chance(SHARE) || isLeftAlone) return plan;
  const operations = Array.from({ length: 1 + random.below(2) }, (): Operation => {
    return { what: random.pick(OPERATION_NAMES), atMs: Math.floor(plan.activeMs * random.fraction()) };
  }).sort((a, b) => a.atMs - b.atMs);
  const isAbout = (what: string) => operations.some((operation) => operation.what.startsWith(what));
  // Only groups that are behind can be redriven or have skipped events.
  const refusedAtLeast = isAbout('replay from') ? 0.2 : isAbout('re') ? 0.05 : 0;
  const entryRefused = Math.max(plan.faults.entryRefused, refusedAtLeast);
  return { ...plan, operations, faults: { ...plan.faults, entryRefused } };
}
