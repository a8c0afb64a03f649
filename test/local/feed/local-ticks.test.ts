import { expect, test } from 'vitest';
import { createLocalTicks } from '../../../local/feed/local-ticks.ts';

const NOW = Date.UTC(2026, 10, 20, 10);
const [MINUTE, DAY] = [60_000, 86_400_000];

/** The slots of ticks sent at these times. */
function slotsAt(lastSlot: number, times: readonly number[]): number[] {
  const slots: number[] = [];
  let now = 0;
  const ticks = createLocalTicks({
    source: 'acme',
    lastSlot,
    now: () => now,
    enqueue: async (body) => void slots.push((JSON.parse(body) as { slot: number }).slot),
  });
  for (const time of times) {
    now = time;
    void ticks.send();
  }
  return slots;
}

test('a slot is the time, and two ticks within a millisecond have two slots', () => {
  expect(slotsAt(NOW - DAY, [NOW, NOW, NOW + MINUTE])).toEqual([NOW, NOW + 1, NOW + MINUTE]);
});

test('slots continue above the stored one if that is slightly ahead', () => {
  const stored = NOW + 30 * MINUTE;

  expect(slotsAt(stored, [NOW, NOW + MINUTE])).toEqual([stored + 1, stored + 2]);
});

test('slots are the time again if the stored one is far ahead, since the poller resets it', () => {
  expect(slotsAt(NOW + DAY, [NOW, NOW + MINUTE])).toEqual([NOW, NOW + MINUTE]);
  expect(slotsAt(0, [NOW + DAY, NOW])).toEqual([NOW + DAY, NOW]);
});
