// Review: "An answer that gets lost, or a sender that dies after the post, repeats the event: at most one of each return at
// a time." (docs/guarantees.md, "Where they end"). `redrive` rings beside the return's own message (ring-queue.ts,
// `ringBeside`), so two senders have the return at once. No answer is lost here, and nobody dies.
import { expect, it } from 'vitest';
import { MILLISECOND } from '../../../shared/instant.ts';
import { KEY, WEBHOOK, worldWith } from './webhook-world.ts';

it('review: one redrive of a return that is being sent repeats one event at most', async () => {
  const world = worldWith(20);
  await world.marks.advance(WEBHOOK, KEY, 0);
  world.takesMs = () => 1_000;
  // The endpoint is up again: the return's own message comes back, and half a second later the operator's.
  const own = world.sender()({ key: KEY, sequence: 1 }, 60_000);
  await world.clock.advance(500 * MILLISECOND);
  const redriven = world.sender()({ key: KEY, sequence: 1 }, 60_000);
  await world.clock.run(Promise.all([own, redriven]));

  const numbers = world.acceptedNumbers(KEY);
  console.log(numbers.join(' '));
  expect(new Set(numbers).size).toBe(20);
  expect(numbers.length - 20, 'repeated events').toBeLessThanOrEqual(1);
});

it('review: a redriven sender that is slower does not go back to events that are long accepted', async () => {
  const world = worldWith(20);
  await world.marks.advance(WEBHOOK, KEY, 0);
  let posts = 0;
  // The endpoint hangs for 10 s at the second sender's first post; the first sender sends all 20 meanwhile.
  world.takesMs = () => ((posts += 1) === 2 ? 10_000 : 100);
  const own = world.sender()({ key: KEY, sequence: 1 }, 60_000);
  const redriven = world.sender()({ key: KEY, sequence: 1 }, 60_000);
  await world.clock.run(Promise.all([own, redriven]));

  const numbers = world.acceptedNumbers(KEY);
  console.log(numbers.join(' '));
  expect(numbers.length - 20, 'repeated events').toBeLessThanOrEqual(1);
});
