// Every call through a port. A process may end before or after each of them. An unlisted call does not compile, and at the
// end of a long run coverage.ts reports listed calls that never had a fault.

/** The kind of a call decides which faults it can have. */
export type CallKind = 'read' | 'write' | 'request';

export const CALLS = {
  'states.load': 'read',
  'states.save': 'write',
  'states.identity': 'read',
  'store.load': 'read',
  'store.save': 'write',
  'store.saveAll': 'write',
  'store.knownCreatedBetween': 'read',
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

/** Rare calls have faults more often. Otherwise thousands of runs would be needed for each of them to have each fault. */
const OFTENER: Partial<Record<CallName, number>> = {
  'states.identity': 8,
  'store.saveAll': 8,
  'store.knownCreatedBetween': 8,
  'ledger.append': 8,
  'ledger.groups': 8,
  'marks.noteBehind queue': 30,
  'marks.noteBehind bus': 30,
  'secret.read': 8,
};

export function oftenerAt(call: CallName): number {
  return OFTENER[call] ?? 1;
}
