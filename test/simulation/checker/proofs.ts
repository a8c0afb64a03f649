// G1: a range whose end was proved has shown each known group that stayed in it.
import type { Evidence, Violation } from './evidence.ts';

export function checkProofs({ falseProofs: [first], promises }: Evidence): Violation[] {
  if (first === undefined || !promises.listsAll) return [];
  return [
    { guarantee: 'G1', message: `a proof was false: a known group was missing from its range (${first})` },
  ];
}
