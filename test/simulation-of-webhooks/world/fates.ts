import { type Chances, type Drawn, type DrawnFates, drawFates } from '../../simulation-frame/drawn-fates.ts';
import type { FaultRates, Plan } from '../plan.ts';

export type Fate = 'crash-before' | 'crash-after' | 'fail' | 'lost' | 'slow' | 'freeze';

/** The kind of a call decides which faults it can have. */
type CallKind = 'read' | 'write' | 'request';

export const CALLS = {
  'ledger.read': 'read',
  'ledger.append': 'write',
  'ledger.groups': 'read',
  'snapshots.load': 'read',
  'marks.load': 'read',
  'marks.position': 'read',
  'marks.advance': 'write',
  'marks.noteBehind': 'write',
  'marks.noteFailing': 'write',
  'endpoints.load': 'read',
  'states.load': 'read',
  'endpoints.save': 'write',
  'topic.publish': 'write',
  'queue.hide': 'write',
  'queue.ring': 'write',
  'http.post': 'request',
} as const satisfies Record<string, CallKind>;

export type CallName = keyof typeof CALLS;

export interface Fates extends Omit<DrawnFates<keyof FaultRates>, 'next'> {
  next(call: CallName): Drawn<Fate>;
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
  return { ...drawn, next: (call) => drawn.next(call, FATES[CALLS[call]]) };
}
