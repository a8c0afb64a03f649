import { expect, test } from 'vitest';
import { takeSearchTurn } from '../../../shared/finding/search-turn.ts';
import { MILLISECOND, MINUTE, SECOND } from '../../../shared/instant.ts';
import { createMemorySearches } from '../../fakes/memory-searches.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

function world() {
  const clock = createVirtualClock();
  const searches = createMemorySearches();
  const take = () => takeSearchTurn({ searches, clock, source: 'acme', requestsPerMinute: 3 });
  return { clock, take };
}

test('searches run one at a time', async () => {
  const { take } = world();
  const turn = await take();

  await expect(take()).rejects.toThrow('Another search of source acme is under way; try again in a minute.');
  await turn.end();

  expect((await take()).bucket.wait()).toBe(0);
});

test('searches one after the other keep to the share of any minute', async () => {
  const { clock, take } = world();
  const sent: number[] = [];
  for (let search = 0; search < 20; search += 1) {
    const { bucket, end } = await take();
    const wait = bucket.wait();
    if (wait > 0) await clock.advance(Math.ceil(wait / MILLISECOND) * MILLISECOND);
    bucket.take();
    sent.push(clock.now());
    await end();
    await clock.advance(SECOND);
  }

  const busiest = Math.max(
    ...sent.map((from) => sent.filter((at) => at >= from && at < from + MINUTE).length),
  );
  expect(busiest).toBe(3);
});

test('a search whose process died counts as a used-up share until its lease is over and a minute longer', async () => {
  const { clock, take } = world();
  await take();
  await clock.advance(40 * SECOND);

  const { bucket } = await take();

  expect(bucket.wait()).toBe(60_500 * MILLISECOND);
});

test('a pause that the service asks for holds for the search', async () => {
  const { bucket } = await world().take();

  bucket.pause(5 * SECOND);

  expect(bucket.wait()).toBe(5 * SECOND);
});
