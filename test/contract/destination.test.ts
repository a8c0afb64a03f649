import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MAX_BATCH_ENTRIES } from '../../shared/limits.ts';
import { aKey, anEvent } from '../shared/publishing/an-event.ts';
import { DESTINATIONS } from './destinations.ts';
import { MAX_BYTES, type TestDestination } from './test-destination.ts';

const SENT = { sent: true };

describe.each(DESTINATIONS)('a destination $name', ({ open, ordered, canFail }) => {
  let under: TestDestination;

  beforeEach(async () => {
    under = await open();
  });
  afterEach(() => under.close());

  test('delivers an event unchanged', async () => {
    const event = anEvent(aKey(1), 1);

    const results = await under.destination.send([event]);

    expect(results).toEqual([SENT]);
    expect(await under.received()).toEqual([event]);
  });

  test.each([
    ['characters beyond the basic plane', 'sneakers 👟 and 𝒜'],
    ['U+FFFE and U+FFFF', 'a\ufffeb\uffffc'],
    ['lone surrogates', 'half\ud83d and \udc5f other half'],
    ['controls', 'a\u0000b\u0007c\u001fd\u007fe\u0085f'],
    ['line ends and quotes', 'a\nb\r\nc"d\\e\u2028f'],
    ['right-to-left text and marks', 'שלום‏ ‮abc é'],
  ])('delivers %s unchanged', async (_name, text) => {
    const event = anEvent(aKey(1), 1, text);

    const results = await under.destination.send([event]);

    expect(results).toEqual([SENT]);
    expect(await under.received()).toEqual([event]);
  });

  test('accepts a full batch, each event of another group', async () => {
    const events = Array.from({ length: MAX_BATCH_ENTRIES }, (_, id) => anEvent(aKey(id), 1));

    const results = await under.destination.send(events);

    expect(results).toEqual(events.map(() => SENT));
    expect(sortedIds(await under.received())).toEqual(sortedIds(events));
  });

  test.runIf(ordered)('keeps each group’s events in the order of sending', async () => {
    for (let sequence = 1; sequence <= 12; sequence += 1) {
      await under.destination.send([1, 2, 3].map((group) => anEvent(aKey(group), sequence)));
    }

    const received = await under.received();

    for (const group of [1, 2, 3]) {
      const own = received.filter(({ partitionkey }) => partitionkey === `acme/${group}`);
      expect(own.map(({ data }) => data.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }
  });

  test('reports a repeated event as sent', async () => {
    const event = anEvent(aKey(1), 1);
    await under.destination.send([event]);

    const results = await under.destination.send([event]);

    expect(results).toEqual([SENT]);
    expect((await under.received())[0]).toEqual(event);
  });

  test('rejects an event for its content, and accepts the others of its batch', async () => {
    const large = anEvent(aKey(2), 1, 'x'.repeat(MAX_BYTES));
    const others = [anEvent(aKey(1), 1), anEvent(aKey(3), 1)] as const;

    const results = await under.destination.send([others[0], large, others[1]]);

    expect(results).toEqual([SENT, { sent: false, cause: 'rejected', reason: expect.any(String) }, SENT]);
    expect(sortedIds(await under.received())).toEqual(sortedIds(others));
  });

  test.runIf(canFail)('fails only the throttled event of a batch, and delivers it later', async () => {
    const events = [1, 2, 3].map((group) => anEvent(aKey(group), 1));
    const throttled = anEvent(aKey(2), 1);
    under.failures?.throttle(throttled.id, 2);

    const results = [];
    for (let call = 0; call < 3; call += 1)
      results.push(await under.destination.send(call === 0 ? events : [throttled]));

    const failed = { sent: false, cause: 'failed', reason: expect.any(String) };
    expect(results).toEqual([[SENT, failed, SENT], [failed], [SENT]]);
    expect(sortedIds(await under.received())).toEqual(sortedIds(events));
  });

  test.runIf(canFail)('refuses only the event for which the service rejects whole calls', async () => {
    const events = Array.from({ length: MAX_BATCH_ENTRIES }, (_, id) => anEvent(aKey(id), 1));
    const [bad, ...others] = events;
    under.failures?.rejectCallsWith(bad?.id ?? '');

    const results = await under.destination.send(events);

    const refused = { sent: false, cause: 'rejected', reason: expect.any(String) };
    expect(results).toEqual([refused, ...others.map(() => SENT)]);
    expect(sortedIds(await under.received())).toEqual(sortedIds(others));
  });

  test('throws if it fails as a whole', async () => {
    const { broken } = under;

    await expect(broken.send([anEvent(aKey(1), 1)])).rejects.toThrow();
  });
});

function sortedIds(events: readonly FeedEvent[]): string[] {
  return events.map(({ id }) => id).sort();
}
