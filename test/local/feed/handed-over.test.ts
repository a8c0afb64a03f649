import { expect, test } from 'vitest';
import { createHandedOver, HANDED_OVER } from '../../../local/feed/handed-over.ts';
import { formatEventId } from '../../../shared/contract/event-id.ts';
import type { GroupKey, Marks } from '../../../shared/ports.ts';
import { createMemoryMarks } from '../../fakes/memory-marks.ts';
import { aKey } from '../../shared/publishing/an-event.ts';

const A = aKey(1);
const B = aKey(2);

const idOf = (key: GroupKey, sequence: number) => formatEventId({ ...key, sequence });

/** Marks whose writes wait for a call of `answer`, and what was written. */
function slowMarks() {
  const memory = createMemoryMarks();
  const written: number[] = [];
  const waiting: (() => void)[] = [];
  const marks: Marks = {
    ...memory,
    async advance(destination, key, sequence) {
      written.push(sequence);
      await new Promise<void>((resolve) => waiting.push(resolve));
      await memory.advance(destination, key, sequence);
    },
  };
  const answer = () => {
    for (const go of waiting.splice(0)) go();
  };
  return { marks, memory, written, answer };
}

test('stores the last event of each group', async () => {
  const marks = createMemoryMarks();
  const handedOver = createHandedOver(marks, { isKept: true, onError() {} });

  handedOver.note([idOf(A, 1), idOf(B, 1), idOf(A, 2)]);
  await handedOver.stored();

  expect([await marks.load(HANDED_OVER, A), await marks.load(HANDED_OVER, B)]).toEqual([2, 1]);
});

test('stores what came during a write with the next one, once for each group', async () => {
  const { marks, memory, written, answer } = slowMarks();
  const handedOver = createHandedOver(marks, { isKept: true, onError() {} });

  for (const sequence of [1, 2, 3, 4]) handedOver.note([idOf(A, sequence)]);
  const stored = handedOver.stored();
  answer();
  await expect.poll(() => written).toEqual([1, 4]);
  answer();
  await stored;

  expect(await memory.load(HANDED_OVER, A)).toBe(4);
});

test('reports a mark that could not be stored, and stores the next', async () => {
  const memory = createMemoryMarks();
  const errors: unknown[] = [];
  let failures = 1;
  const marks: Marks = {
    ...memory,
    async advance(...args) {
      if (failures-- > 0) throw new Error('no answer');
      await memory.advance(...args);
    },
  };
  const handedOver = createHandedOver(marks, { isKept: true, onError: (error) => errors.push(error) });

  handedOver.note([idOf(A, 1)]);
  await handedOver.stored();
  handedOver.note([idOf(A, 2)]);
  await handedOver.stored();

  expect(errors).toHaveLength(1);
  expect(await memory.load(HANDED_OVER, A)).toBe(2);
});

test('stores nothing where nothing is kept', async () => {
  const marks = createMemoryMarks();
  const handedOver = createHandedOver(marks, { isKept: false, onError() {} });

  handedOver.note([idOf(A, 1)]);
  await handedOver.stored();

  expect(await marks.load(HANDED_OVER, A)).toBeUndefined();
});
