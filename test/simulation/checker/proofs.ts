// G1: a range whose end was proved has shown each known group that stayed in it.
import type { Evidence, Violation } from './evidence.ts';

/** Logged by shared/tick/look-for-missing.ts when a look-up finds a group that a proved range had not shown. */
const FALSE_PROOF = 'A known group was missing from a range whose end was proved.';

export function checkProofs({ logged, promises }: Evidence): Violation[] {
  if (!promises.listsAll) return [];
  const [first] = logged.filter((line) => line.startsWith(FALSE_PROOF));
  return first === undefined ? [] : [{ guarantee: 'G1', message: `a proof was false: ${first}` }];
}
