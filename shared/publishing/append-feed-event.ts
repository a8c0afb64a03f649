// No snapshot counts the feed's own events. The ledger, which keeps them permanently, knows the last number and rejects
// a taken one. So pollers, sweeps and commands may all append at once.
import type { FeedEvent } from '../contract/event.ts';
import { FEED_GROUP } from '../contract/event-id.ts';
import { MAX_APPEND_ATTEMPTS, RELAY_READ_EVENTS } from '../limits.ts';
import type { GroupKey, Ledger } from '../ports.ts';

/**
 * Appends an event of the feed under its next number.
 *
 * @param known a number known to be taken, 0 if none is: the ledger is read from there
 * @param build makes the event for a number; may be called several times
 * @returns the number of the event
 * @throws if others took every number that was tried
 */
export async function appendFeedEvent(
  ledger: Ledger,
  { source, generation }: Pick<GroupKey, 'source' | 'generation'>,
  known: number,
  build: (sequence: number) => FeedEvent,
): Promise<number> {
  const key: GroupKey = { source, generation, group: FEED_GROUP };
  let last = known;
  for (let attempt = 0; attempt < MAX_APPEND_ATTEMPTS; attempt += 1) {
    last = await lastNumber(ledger, key, last);
    if ((await ledger.append(key, build(last + 1))) === 'saved') return last + 1;
  }
  throw new Error(
    `No number was free for an event of the feed of ${source}: ${last + 1} is taken as well. Try again.`,
  );
}

async function lastNumber(ledger: Ledger, key: GroupKey, known: number): Promise<number> {
  let last = known;
  for (;;) {
    const entries = await ledger.read(key, last, RELAY_READ_EVENTS);
    last = entries.at(-1)?.sequence ?? last;
    if (entries.length < RELAY_READ_EVENTS) return last;
  }
}
