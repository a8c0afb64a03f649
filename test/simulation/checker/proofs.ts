// G1: a range whose end was proved has shown each known group that stayed in it.
import type { Evidence, FalseProof, Happening, Violation } from './evidence.ts';

/** Longer than a tick: a range and its look-ups take one at most. */
const LONGEST_TICK = 60_000_000;

export function checkProofs({ falseProofs, promises, happenings }: Evidence): Violation[] {
  const first = falseProofs.find((proof) => !isShownSince(happenings, proof));
  if (first === undefined || !promises.listsAll) return [];
  const { source, groupId } = first;
  const message = 'a proof was false: a known group was missing from its range';
  return [{ guarantee: 'G1', source, place: `group ${groupId}`, message }];
}

/** Whether the group began to show, late, while the range was read. */
function isShownSince(happenings: readonly Happening[], { groupId, at }: FalseProof): boolean {
  const created = happenings.find((each) => each.groupId === groupId);
  return created !== undefined && created.shownFrom > created.at && created.shownFrom > at - LONGEST_TICK;
}
