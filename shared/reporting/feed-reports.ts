// The feed's events about itself: a group of its own in the same ledger, with its own numbers. What a tick has to tell
// is noted in the state that it follows from, and appended once that state was saved: so nothing is told of a state
// that never came to be, and who takes over tells what a process that died had left to tell. A number that is taken
// belongs to another event: the next one is used, and nothing is overwritten.
import { makeEnvelope } from '../comparing/make-event.ts';
import type { EventOf, FeedEvent } from '../contract/event.ts';
import { FEED_GROUP } from '../contract/event-id.ts';
import { formatInstant, type Instant } from '../instant.ts';
import { MAX_APPEND_ATTEMPTS, RELAY_READ_EVENTS } from '../limits.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../ports.ts';
import type { FeedReport, SourceState } from '../source/source-state.ts';

/** The state with an event of the feed itself, to be told as soon as it is saved. */
export function queueFeedReport<
  State extends Pick<SourceState, 'feedReports'>,
  Type extends FeedReport['type'],
>(state: State, type: Type, object: EventOf<Type>['data']['object'], time: Instant): State {
  return { ...state, feedReports: [...state.feedReports, { type, object, time } as FeedReport] };
}

/**
 * Appends what a saved state has to tell. Done again, also by two processes at once, it tells nothing twice.
 *
 * @returns the number of the last event, to be kept as the state's `feedSequence`
 */
export async function publishFeedReports(
  ledger: Ledger,
  state: Pick<SourceState, 'source' | 'generation' | 'feedSequence' | 'feedReports'>,
): Promise<number> {
  let last = state.feedSequence;
  for (const telling of state.feedReports) last = await append(ledger, state, telling, last);
  return last;
}

async function append(
  ledger: Ledger,
  { source, generation }: Pick<SourceState, 'source' | 'generation'>,
  telling: FeedReport,
  after: number,
): Promise<number> {
  const key = { source, generation, group: FEED_GROUP } as const;
  let last = after;
  for (let attempt = 0; attempt < MAX_APPEND_ATTEMPTS; attempt += 1) {
    if ((await ledger.append(key, makeFeedEvent(key, telling, last + 1))) === 'saved') return last + 1;
    // A sweep or a command may have appended very many: they are read, not tried one by one.
    const taken = await readTaken(ledger, key, last);
    const own = taken.find((entry) => isTold(entry, makeFeedEvent(key, telling, entry.sequence)));
    if (own !== undefined) return own.sequence;
    last = taken.at(-1)?.sequence ?? last;
  }
  throw new Error(`No number was free for an event of the feed of ${source}: ${last + 1} is taken as well.`);
}

async function readTaken(ledger: Ledger, key: GroupKey, after: number): Promise<LedgerEntry[]> {
  const taken: LedgerEntry[] = [];
  for (;;) {
    const entries = await ledger.read(key, taken.at(-1)?.sequence ?? after, RELAY_READ_EVENTS);
    taken.push(...entries);
    if (entries.length < RELAY_READ_EVENTS) return taken;
  }
}

/** Whether it is this very event: appended before, by a process that could not note it. */
function isTold(entry: LedgerEntry, event: FeedEvent): boolean {
  return 'event' in entry && JSON.stringify(entry.event) === JSON.stringify(event);
}

function makeFeedEvent(
  key: { readonly source: string; readonly generation: string; readonly group: typeof FEED_GROUP },
  { type, object, time }: FeedReport,
  sequence: number,
): FeedEvent {
  return {
    ...makeEnvelope(type, subjectOf(type, key.source, sequence), sequence, { ...key, time }),
    data: {
      generation: key.generation,
      sequence,
      object,
      observed: { after: null, by: formatInstant(time), through: 'poll' },
    },
  } as FeedEvent;
}

/** Only the source's condition makes an earlier one stale; what else is told of it stays true beside the later. */
function subjectOf(type: FeedReport['type'], source: string, sequence: number): string {
  const subject = `sources/${source}`;
  if (type === 'feed.baseline_completed') return `${subject}/baseline`;
  return type === 'feed.drift_detected' ? `${subject}/drift/${sequence}` : subject;
}
