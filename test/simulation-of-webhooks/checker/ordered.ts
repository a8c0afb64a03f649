// W1: a return's events first arrive in order.
import type { Violation } from './evidence.ts';
import { type Indexed, placeOf } from './index-evidence.ts';

export function checkOrdered({ firstAccepted, skippedAt }: Indexed): Violation[] {
  const violations: Violation[] = [];
  const last = new Map<string, number>();
  const inOrder = [...firstAccepted].sort(([, a], [, b]) => a - b);
  for (const [id] of inOrder) {
    const place = placeOf(id);
    // A skipped event may already be under way.
    if (place === undefined || skippedAt(place.group, place.sequence) !== undefined) continue;
    const { group, sequence } = place;
    const before = last.get(group) ?? 0;
    if (sequence < before) {
      const message = `first arrived after number ${before}`;
      violations.push({ guarantee: 'W1', place: `${group} number ${sequence}`, message });
    }
    last.set(group, Math.max(before, sequence));
  }
  return violations;
}
