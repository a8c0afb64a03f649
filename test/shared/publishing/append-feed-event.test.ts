import { expect, test } from 'vitest';
import { FEED_GROUP } from '../../../shared/contract/event-id.ts';
import { MAX_APPEND_ATTEMPTS } from '../../../shared/limits.ts';
import { appendFeedEvent } from '../../../shared/publishing/append-feed-event.ts';
import { createMemoryLedger } from '../../fakes/memory-ledger.ts';
import { aKey, anEvent } from './an-event.ts';

const FEED = aKey(FEED_GROUP);

function anEventOfTheFeed(sequence: number, content = 'something') {
  return anEvent(FEED, sequence, content);
}

test('the first event of the feed is number 1', async () => {
  const ledger = createMemoryLedger();

  const sequence = await appendFeedEvent(ledger, FEED, 0, anEventOfTheFeed);

  expect(sequence).toBe(1);
  expect(ledger.has(FEED, 1)).toBe(true);
});

test('an event of the feed gets the number after the last of many', async () => {
  const ledger = createMemoryLedger();
  for (let sequence = 1; sequence <= 250; sequence += 1)
    await ledger.append(FEED, anEventOfTheFeed(sequence));

  expect(await appendFeedEvent(ledger, FEED, 0, anEventOfTheFeed)).toBe(251);
  expect(await appendFeedEvent(ledger, FEED, 200, anEventOfTheFeed)).toBe(252);
});

test('concurrent appends each get their own number', async () => {
  const ledger = createMemoryLedger();

  const sequences = await Promise.all(
    ['a', 'b', 'c', 'd'].map((content) =>
      appendFeedEvent(ledger, FEED, 0, (sequence) => anEventOfTheFeed(sequence, content)),
    ),
  );

  expect(sequences.sort()).toEqual([1, 2, 3, 4]);
});

test('an append fails after its maximum of taken numbers, and names the last', async () => {
  let tries = 0;
  const append = async () => {
    tries += 1;
    return 'conflict' as const;
  };
  const ledger = { ...createMemoryLedger(), append };

  const appending = appendFeedEvent(ledger, FEED, 6, anEventOfTheFeed);

  await expect(appending).rejects.toThrow(
    'No number was free for an event of the feed of acme: 7 is taken as well. Try again.',
  );
  expect(tries).toBe(MAX_APPEND_ATTEMPTS);
});
