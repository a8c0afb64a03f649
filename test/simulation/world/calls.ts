// Every call through a port: a process may end before or after each of them. A call that is not listed here does not
// compile; coverage.ts reports a listed call that never has a fault, at the end of a long run.

/** The kind of a call decides which faults it can have. */
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

/** Rare calls have faults more often, or it would take thousands of runs for each of them to have each fault. */
const OFTENER: Partial<Record<CallName, number>> = {
  'states.identity': 8,
  'store.saveAll': 8,
  'store.knownCreatedBetween': 8,
  // Only in stores that are too large for a full walk in each cycle.
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
