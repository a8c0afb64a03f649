// Walks over a model list from its first group to its newest, and learns the stamps meanwhile.
import { DAY, HOUR } from '../../../shared/instant.ts';
import { FIRST_WIDTH } from '../../../shared/limits.ts';
import type { Reader } from '../../../shared/reading/reader.ts';
import { learnStamps } from '../../../shared/reading/stamps-clock.ts';
import { walkOn } from '../../../shared/reading/walk.ts';
import type { WalkOptions, WalkPosition, WalkStep } from '../../../shared/reading/walk-step.ts';
import { STAMPS } from './at-noon.ts';
import { createModelList, type ModelList } from './model-list.ts';
import type { Order } from './model-orders.ts';
import { clampedTo } from './model-pages.ts';
import { createWitness, type Witness } from './witness.ts';
import { NOON } from './worlds.ts';

export const WALK_START: WalkPosition = { coveredThrough: undefined, rangeWidth: FIRST_WIDTH };

/** Groups of three years, more of them in later years; each was updated at some time since its creation. */
export function storeOf(groups: number, page: number, order: Order): ModelList {
  const list = createModelList({ seed: 7, now: NOON, order, pages: clampedTo(page) });
  for (let made = 0; made < groups; made += 1) {
    const age = Math.floor((1_000 * DAY * -Math.log(1 - list.random.next() * 0.98)) / 3.9) + HOUR;
    list.add({ createdAt: NOON - age, updatedAt: NOON - Math.floor(age * list.random.next()) });
  }
  return list;
}

/** One step of a walk at noon, by a clock of the stamps that shows noon. */
export function stepAtNoon(
  position: WalkPosition,
  reader: Reader,
  changed: Partial<WalkOptions> = {},
): Promise<WalkStep> {
  return walkOn(position, { ...reader, stamps: () => STAMPS, now: () => NOON, ...changed });
}

/** @returns the steps of the walk, each with its position */
export async function walk(
  list: ModelList,
  { reader }: Witness = createWitness(list),
  start = WALK_START,
): Promise<WalkStep[]> {
  let stamps = STAMPS;
  let position = start;
  const steps: WalkStep[] = [];
  while (steps.length < 500) {
    const step = await walkOn(position, {
      ...reader,
      stamps: () => stamps,
      now: () => list.now,
      async take(page) {
        stamps = { ...stamps, ...learnStamps(stamps, page.rows, page.receivedAt), newest: stamps.newest };
        await reader.take(page);
      },
    });
    steps.push(step);
    position = step.position;
    if (step.isDone) return steps;
  }
  throw new Error('The walk does not end.');
}
