import { groupSteps } from './group-steps.ts';
import { exchangeSteps, lineItemSteps } from './line-item-steps.ts';
import type { Random } from './seeded-random.ts';
import { shipmentSteps } from './shipment-steps.ts';
import type { Step, StepContext } from './step.ts';
import type { StoredGroup } from './stored-group.ts';

/** The possible next steps of a group; at least one. */
export function possibleSteps(group: StoredGroup, context: StepContext): Step[] {
  return [
    ...shipmentSteps(group, context),
    ...lineItemSteps(group, context),
    ...exchangeSteps(group, context),
    ...groupSteps(group, context),
  ];
}

/** Whether only unlikely steps, such as corrections, remain. */
export function isAtItsEnd(steps: readonly Step[]): boolean {
  return steps.every((step) => step.weight < 1);
}

export function pickStep(steps: readonly Step[], random: Random): Step {
  let left = random.fraction() * steps.reduce((sum, step) => sum + step.weight, 0);
  for (const step of steps) {
    left -= step.weight;
    if (left < 0) return step;
  }
  return random.pick(steps);
}
