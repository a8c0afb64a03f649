// The groups of the store at its opening: each was created within the last two years, and has taken the steps of its days
// since. The closer to the present, the more groups.

import { DAY, type Instant, SECOND } from '../../../shared/instant.ts';
import type { Span } from '../knobs.ts';
import { isAtItsEnd, pickStep, possibleSteps } from './group-steps.ts';
import { orderOf } from './identities.ts';
import { newGroup } from './new-group.ts';
import { createRandom, mix } from './seeded-random.ts';
import type { StoredGroup } from './stored-group.ts';

const STORE_AGE = 730 * DAY;
const GROWTH = 1.6;
/** From this age on nearly no group changes any more. */
const OLD = 45 * DAY;
const AGING_EVERY = 3;

export interface Opening {
  readonly seed: number;
  readonly groups: number;
  readonly openedAt: Instant;
  /** Share of statuses that no document lists. */
  readonly unlisted: number;
  /** When a third of the groups turn old, in seconds after the opening. */
  readonly aging: Span | undefined;
}

/** The groups by row, and the rows of those that still have steps to take. */
export function openStore(opening: Opening): { base: StoredGroup[]; openRows: number[] } {
  const { seed, groups, openedAt, unlisted } = opening;
  const openRows: number[] = [];
  const base = Array.from({ length: groups }, (_, row) => {
    const random = createRandom(mix(seed, row, 5));
    let at = createdAtOf(row, opening);
    let group = newGroup(row, seed, at, createdAtOf(orderOf(row), opening));
    // Slow customers and stores are slow with every step.
    const pace = DAY * (0.5 + 6 * random.fraction() ** 2);
    for (;;) {
      at += Math.floor(pace * random.fraction());
      const steps = possibleSteps(group, { row, at, seed, random, unlisted });
      const isOpen = !isAtItsEnd(steps);
      if (isOpen && at > openedAt) openRows.push(row);
      if (!isOpen || at > openedAt) return group;
      group = { ...pickStep(steps, random).apply(), updated_at: at };
    }
  });
  return { base, openRows };
}

/** Neighbours may swap places: ids and times agree only roughly, as in a busy database. */
function createdAtOf(row: number, { seed, groups, openedAt, aging }: Opening): Instant {
  if (aging !== undefined && row % AGING_EVERY === 0) {
    const { least, most } = aging;
    const turnsOldAfter = least + (most - least) * createRandom(mix(seed, row, 3)).fraction();
    return openedAt + Math.floor(turnsOldAfter * SECOND) - OLD;
  }
  const place = row - 1 + 3 * createRandom(mix(seed, row, 1)).fraction();
  const age = STORE_AGE * (1 - Math.min(groups - 0.01, Math.max(0, place)) / groups) ** GROWTH;
  return openedAt - Math.floor(age) - (mix(seed, row, 2) % 997);
}
