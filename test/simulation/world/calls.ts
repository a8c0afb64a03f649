// Every call through a port: the points before and after which a process may end. A call that is not listed here does
// not compile, one that is and never meets a fault is told at the end of a long run (coverage.ts).

/** What the call does, so what can go wrong with it. */
export type CallKind = 'read' | 'write' | 'request';

export const CALLS = {
  'states.load': 'read',
  'states.save': 'write',
  'states.identity': 'read',
  'budgets.load': 'read',
  'budgets.save': 'write',
  'store.load': 'read',
  'store.save': 'write',
  'store.saveAll': 'write',
  'store.knownCreatedBetween': 'read',
  'store.openCreatedBetween': 'read',
  'ledger.read': 'read',
  'ledger.append': 'write',
  'ledger.groups': 'read',
  'marks.load queue': 'read',
  'marks.load bus': 'read',
  'marks.advance queue': 'write',
  'marks.advance bus': 'write',
  'marks.noteBehind queue': 'write',
  'marks.noteBehind bus': 'write',
  'queue.send': 'write',
  'bus.send': 'write',
  'secret.read': 'read',
  'http.get': 'request',
} as const satisfies Record<string, CallKind>;

export type CallName = keyof typeof CALLS;

export const CALL_NAMES = Object.keys(CALLS) as CallName[];

/** A few to a run at most: faults meet them oftener, or thousands of runs would pass before each has met each. */
const OFTENER: Partial<Record<CallName, number>> = {
  'states.identity': 8,
  'store.saveAll': 8,
  'store.knownCreatedBetween': 8,
  // Of stores alone that are too large to be walked as a whole in each cycle.
  'store.openCreatedBetween': 600,
  'ledger.append': 8,
  'ledger.groups': 8,
  'marks.noteBehind queue': 30,
  'marks.noteBehind bus': 30,
  'secret.read': 8,
};

export function oftenerAt(call: CallName): number {
  return OFTENER[call] ?? 1;
}
