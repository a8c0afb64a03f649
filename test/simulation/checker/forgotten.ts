// G7: the ledger has no event of a forgotten group.
import type { SourceEvidence, Violation } from './evidence.ts';

export function checkForgotten({ source, forgotten }: SourceEvidence): Violation[] {
  return forgotten
    .filter(({ isLeft }) => isLeft)
    .map(({ groupId, through }) => ({
      guarantee: 'G7',
      source,
      place: `group ${groupId}`,
      message: `was forgotten, and an event up to its number ${through} is still there`,
    }));
}
