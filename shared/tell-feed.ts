// The feed's events about itself: a group of its own in the same ledger, with its own numbers. A number that is
// taken was told by a process that died before it could note so: the next one is used, and nothing is overwritten.
import { makeEnvelope } from './comparing/make-event.ts';
import type { EventOf, EventType, FeedEvent } from './contract/event.ts';
import { FEED_GROUP } from './contract/event-id.ts';
import { formatInstant, type Instant } from './instant.ts';
import type { Ledger } from './ports.ts';
import type { SourceState } from './source-state.ts';

type OwnType = Extract<EventType, `feed.${string}`>;

/** Numbers that may be taken by processes that died; more means that something else is wrong. */
const MAX_TAKEN = 1_000;

/** Appends an event of the feed itself. @returns its number, to be kept as the state's `feedSequence`. */
export async function tellFeedEvent<Type extends OwnType>(
  ledger: Ledger,
  state: Pick<SourceState, 'source' | 'generation' | 'feedSequence'>,
  type: Type,
  object: EventOf<Type>['data']['object'],
  now: Instant,
): Promise<number> {
  const { source, generation } = state;
  const key = { source, generation, group: FEED_GROUP } as const;
  for (let sequence = state.feedSequence + 1; sequence <= state.feedSequence + MAX_TAKEN; sequence += 1) {
    const event = {
      ...makeEnvelope(type, subjectOf(type, source, sequence), sequence, { ...key, time: now }),
      data: {
        generation,
        sequence,
        object,
        observed: { after: null, by: formatInstant(now), through: 'poll' },
      },
    } as FeedEvent;
    if ((await ledger.append(key, event)) === 'saved') return sequence;
  }
  throw new Error(`No free number for an event of source ${source} after ${state.feedSequence}.`);
}

/** Only the source's condition makes an earlier one stale; what else is told of it stays true beside the later. */
function subjectOf(type: OwnType, source: string, sequence: number): string {
  const subject = `sources/${source}`;
  if (type === 'feed.baseline_completed') return `${subject}/baseline`;
  return type === 'feed.drift_detected' ? `${subject}/drift/${sequence}` : subject;
}
