// Review: G4: "No two events ever share an id: it contains the generation of the source's state. … A feed that finds a
// restored copy of that state stops instead of using numbers twice until `sources restore` begins a new generation."
// Sweeps and senders of webhooks do not look at the state: in restored tables they append `feed.events_skipped` to the old
// generation, whose next number the original feed has used after the backup. (`forgetEvents` avoids just that: `publishes`.)
import { expect, test } from 'vitest';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { DAY } from '../../../shared/instant.ts';
import { appendFeedEvent } from '../../../shared/publishing/append-feed-event.ts';
import { sweepLedger } from '../../../shared/publishing/sweep.ts';
import { createMemoryEndpointStates } from '../../fakes/memory-endpoint-states.ts';
import { createWebhookSender } from '../../../shared/webhooks/webhook-sender.ts';
import { aKey, anEvent } from './an-event.ts';
import { createSetting, FEED } from './setting.ts';

const [A, B] = [aKey(1), aKey(2)];

/** The tables as they were at the moment T. */
async function tablesAtT() {
  const setting = createSetting();
  // The bus had event 1 of this return; 2 to 4 have expired (an outage of a month), 5 is new.
  setting.write(A, 1);
  await setting.marks.advance('queue', A, 1);
  setting.write(A, 5);
  // The feed itself had published one event.
  setting.write(FEED, 1);
  await setting.marks.advance('queue', FEED, 1);
  setting.write(B, 1);
  return setting;
}

/** What the original feed published after T, before its tables were lost: for instance a degraded source. */
async function publishedAfterT(): Promise<FeedEvent | undefined> {
  const original = await tablesAtT();
  await appendFeedEvent(original.ledger, FEED, 0, (sequence) => ({ ...anEvent(FEED, sequence), type: 'feed.source_degraded' }) as never);
  await original.clock.run(original.relay([FEED], 60_000));
  return original.destination.received.at(-1);
}

test('review: a sweep of restored tables publishes no other event under an id that was used after the backup', async () => {
  const before = await publishedAfterT();
  const restored = await tablesAtT();
  await restored.clock.run(sweepLedger(restored.ports, restored.relay, 15 * 60_000));
  await restored.clock.run(restored.relay([FEED], 60_000));

  const again = restored.destination.received.find(({ id }) => id === before?.id);
  console.log('before the restore:', before?.id, before?.type, '\nafter the restore: ', again?.id, again?.type);
  expect(before?.id).toBe('acme_mi8x2k_feed_2');
  expect(again).toBeUndefined();
});

test('review: a webhook in restored tables does not either', async () => {
  const before = await publishedAfterT();
  const restored = await tablesAtT();
  const { ledger, marks, clock, log } = restored;
  const sender = createWebhookSender({
    webhook: 'Wms', filter: {}, ledger, marks, clock, log, random: () => 0,
    endpoints: createMemoryEndpointStates(), attemptMs: 15_000, retriesAtOnce: 2,
    post: async ({ body }) => ({ status: (JSON.parse(body) as FeedEvent).partitionkey === 'acme/2' ? 422 : 204, retryAfter: undefined, requestMs: 1 }),
  });
  const ring = (key: typeof A, sequence: number) => clock.run(sender({ key, sequence }, 60_000));
  await ring(B, 1);
  await clock.advance(DAY / 2);
  await ring(A, 1);
  await clock.advance(DAY);
  await ring(B, 1);

  const entries = await ledger.read(FEED, 1, 10);
  const [again] = entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
  console.log('before the restore:', before?.id, before?.type, '\nafter the restore: ', again?.id, again?.type);
  expect(again?.id).not.toBe(before?.id);
});
