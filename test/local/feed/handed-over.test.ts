import { expect, test } from 'vitest';
import { createHandedOver, HANDED_OVER } from '../../../local/feed/handed-over.ts';
import { formatEventId } from '../../../shared/contract/event-id.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { GroupKey, Marks } from '../../../shared/ports.ts';
import { createMemoryMarks } from '../../fakes/memory-marks.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey } from '../../shared/publishing/an-event.ts';

const A = aKey(1);
const B = aKey(2);

const idOf = (key: GroupKey, sequence: number) => formatEventId({ ...key, sequence });

/** Marks in virtual time, and the numbers written to them. */
function countedMarks() {
  const memory = createMemoryMarks();
  const written: number[] = [];
  const marks: Marks = {
    ...memory,
    async advance(destination, key, sequence) {
      written.push(sequence);
      return memory.advance(destination, key, sequence);
    },
  };
  const clock = createVirtualClock();
  const handedOver = createHandedOver(marks, { isKept: true, clock, onError() {} });
  return { memory, written, clock, handedOver };
}

test('stores the last event of each group', async () => {
  const { memory, handedOver } = countedMarks();

  handedOver.note([idOf(A, 1), idOf(B, 1), idOf(A, 2)]);
  await handedOver.stored();

  expect([await memory.load(HANDED_OVER, A), await memory.load(HANDED_OVER, B)]).toEqual([2, 1]);
});

test('stores the events of 100 ms with one write for each group, and the next ones 100 ms later', async () => {
  const { written, clock, handedOver } = countedMarks();

  for (const sequence of [1, 2, 3]) handedOver.note([idOf(A, sequence)]);
  await clock.advance(99 * MILLISECOND);
  handedOver.note([idOf(A, 4)]);
  expect(written).toEqual([]);
  await clock.advance(1 * MILLISECOND);
  expect(written).toEqual([4]);
  handedOver.note([idOf(A, 5)]);
  await clock.advance(100 * MILLISECOND);

  expect(written).toEqual([4, 5]);
});

test('stores without a wait when `stored` is called', async () => {
  const { memory, clock, handedOver } = countedMarks();

  handedOver.note([idOf(A, 1)]);
  await handedOver.stored();

  expect([await memory.load(HANDED_OVER, A), clock.elapsed()]).toEqual([1, 0]);
});

test('reports a mark that could not be stored, and stores the next', async () => {
  const memory = createMemoryMarks();
  const errors: unknown[] = [];
  let failures = 1;
  const marks: Marks = {
    ...memory,
    async advance(...args) {
      if (failures-- > 0) throw new Error('no answer');
      return memory.advance(...args);
    },
  };
  const handedOver = createHandedOver(marks, {
    isKept: true,
    clock: createVirtualClock(),
    onError: (error) => errors.push(error),
  });

  handedOver.note([idOf(A, 1)]);
  await handedOver.stored();
  handedOver.note([idOf(A, 2)]);
  await handedOver.stored();

  expect(errors).toHaveLength(1);
  expect(await memory.load(HANDED_OVER, A)).toBe(2);
});

test('stores nothing without a data directory', async () => {
  const marks = createMemoryMarks();
  const handedOver = createHandedOver(marks, { isKept: false, clock: createVirtualClock(), onError() {} });

  handedOver.note([idOf(A, 1)]);
  await handedOver.stored();

  expect(await marks.load(HANDED_OVER, A)).toBeUndefined();
});
