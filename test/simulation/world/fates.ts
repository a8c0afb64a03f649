import { type Chances, type Drawn, type DrawnFates, drawFates } from '../../simulation-frame/drawn-fates.ts';
import type { FaultRates, Plan } from '../plan.ts';
import { CALLS, type CallKind, type CallName, oftenerAt } from './calls.ts';

export type Fate =
  | 'crash-before'
  | 'crash-after'
  | 'fail'
  | 'lost'
  | 'twice'
  | 'slow'
  | 'freeze'
  | 'clock-jump';

export type Fated = Drawn<Fate>;

export interface Fates extends Omit<DrawnFates<keyof FaultRates>, 'next'> {
  next(call: CallName): Fated;
}

export const FATES: Record<CallKind, Chances<Fate, keyof FaultRates>> = {
  // network.ts adds the faults of the network.
  request: [
    ['crash-before', 'crash', 0.5],
    ['crash-after', 'crash', 0.5],
    ['freeze', 'freeze', 1],
    ['clock-jump', 'clockJump', 1],
  ],
  read: [
    ['crash-before', 'crash', 0.5],
    ['crash-after', 'crash', 0.5],
    ['fail', 'fail', 1],
    ['slow', 'slow', 1],
    ['freeze', 'freeze', 1],
    ['clock-jump', 'clockJump', 1],
  ],
  write: [
    ['crash-before', 'crash', 0.5],
    ['crash-after', 'crash', 0.5],
    ['fail', 'fail', 1],
    ['lost', 'lost', 1],
    ['twice', 'twice', 1],
    ['slow', 'slow', 1],
    ['freeze', 'freeze', 1],
    ['clock-jump', 'clockJump', 1],
  ],
};

export function createFates(plan: Plan): Fates {
  const drawn = drawFates(plan);
  return { ...drawn, next: (call) => drawn.next(call, FATES[CALLS[call]], oftenerAt(call)) };
}
