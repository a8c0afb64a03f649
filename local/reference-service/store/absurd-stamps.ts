// Absurd stamps, for the knobs absurdEvery and absurdStamps. A group always has the same kind of absurd stamps.

import { DAY, HOUR, type Instant, MINUTE } from '../../../shared/instant.ts';

export interface AbsurdStamps {
  /** Groups with an id that is divisible by this have absurd stamps; 0: none. */
  readonly every: number;
  readonly kind: 'mixed' | (typeof ABSURD_KINDS)[number];
}

interface Stamps {
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const YEAR_1 = Date.parse('0001-01-01T12:00:00Z') * 1_000;
const YEAR_9999 = Date.parse('9999-12-31T00:00:00Z') * 1_000;
export const ABSURD_KINDS = ['ahead', 'future', 'far', 'past', 'created'] as const;

/** The stamps that the group shows instead of its correct ones. */
export function absurdly(groupId: number, honest: Stamps, now: Instant, absurd: AbsurdStamps): Stamps {
  const { createdAt, updatedAt } = honest;
  if (absurd.every === 0 || groupId % absurd.every !== 0) return { createdAt, updatedAt };
  const turn = groupId / absurd.every;
  const kind = absurd.kind === 'mixed' ? ABSURD_KINDS[turn % ABSURD_KINDS.length] : absurd.kind;
  switch (kind) {
    case 'ahead':
      return { createdAt, updatedAt: now + (1 + (turn % 40)) * MINUTE };
    case 'future':
      return { createdAt, updatedAt: now + (1 + (turn % 300)) * DAY + (turn % 24) * HOUR };
    case 'far':
      return { createdAt, updatedAt: YEAR_9999 };
    case 'past':
      return { createdAt, updatedAt: YEAR_1 };
    default:
      return { createdAt: YEAR_9999, updatedAt };
  }
}
