import { type Chances, type Drawn, type DrawnFates, drawFates } from '../../simulation/world/drawn-fates.ts';
import type { FaultRates, Plan } from '../plan.ts';

export type Fate = 'crash-before' | 'crash-after' | 'fail' | 'lost' | 'slow' | 'freeze';
export type CallKind = 'read' | 'write' | 'request';

export interface Fates extends Omit<DrawnFates<keyof FaultRates>, 'next'> {
  next(call: string, kind: CallKind): Drawn<Fate>;
}

const DYING: Chances<Fate, keyof FaultRates> = [
  ['crash-before', 'crash', 0.5],
  ['crash-after', 'crash', 0.5],
  ['freeze', 'freeze', 1],
];

const FATES: Record<CallKind, Chances<Fate, keyof FaultRates>> = {
  // The receiver itself makes the faults of its connections.
  request: DYING,
  read: [...DYING, ['fail', 'fail', 1], ['slow', 'slow', 1]],
  write: [...DYING, ['fail', 'fail', 1], ['slow', 'slow', 1], ['lost', 'lost', 1]],
};

export function createFates(plan: Plan): Fates {
  const drawn = drawFates(plan);
  return { ...drawn, next: (call, kind) => drawn.next(call, FATES[kind]) };
}
