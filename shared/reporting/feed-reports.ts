// The feed's events about itself: they have their own group in the same ledger, with its own numbers. A tick queues
// reports in the state that they follow from, and appends them once that state is saved. So no report comes from a
// state that was never saved, and a process that takes over publishes the reports that a dead one left. If a number is
// taken, the next one is used, and nothing is overwritten. `feed.source_read` has another group: it comes every minute
// and replaces the previous one, so the ledger keeps it for a day and destinations get only the newest one.
import { makeEnvelope } from '../comparing/make-event.ts';
import type { EventOf, FeedEvent } from '../contract/event.ts';
import { FEED_GROUP, type OwnGroup, READ_GROUP } from '../contract/event-id.ts';
import { formatInstant, type Instant } from '../instant.ts';
import { MAX_APPEND_ATTEMPTS, RELAY_READ_EVENTS } from '../limits.ts';
import type { GroupKey, Ledger, LedgerEntry } from '../ports.ts';
import type { FeedReport, SourceState } from '../source/source-state.ts';
import { describeRead, type SourceRead } from './source-read.ts';

/** Returns the state with an event about the feed itself, to be published once the state is saved. */
export function queueFeedReport<
  State extends Pick<SourceState, 'feedReports'>,
  Type extends FeedReport['type'],
>(state: State, type: Type, object: EventOf<Type>['data']['object'], time: Instant): State {
  return { ...state, feedReports: [...state.feedReports, { type, object, time } as FeedReport] };
}

/**
 * Appends the reports of a saved state. Repeated, even by two processes at once, it appends nothing twice.
 *
 * @returns the number of the last event, for the state's `feedSequence`
 */
export async function publishFeedReports(ledger: Ledger, state: SourceState): Promise<number> {
  const { source, generation, readReportAt: time, readSequence } = state;
  let last = state.feedSequence;
  for (const report of state.feedReports) last = await append(ledger, state, report, last);
  const object = time === undefined ? undefined : describeRead(state);
  if (time !== undefined && object !== undefined) {
    const key = { source, generation, group: READ_GROUP } as const;
    // A taken number holds this report: nothing is overwritten.
    await ledger.append(key, makeFeedEvent(key, { type: 'feed.source_read', object, time }, readSequence));
  }
  return last;
}

async function append(
  ledger: Ledger,
  { source, generation }: Pick<SourceState, 'source' | 'generation'>,
  report: FeedReport,
  after: number,
): Promise<number> {
  const key = { source, generation, group: FEED_GROUP } as const;
  let last = after;
  for (let attempt = 0; attempt < MAX_APPEND_ATTEMPTS; attempt += 1) {
    if ((await ledger.append(key, makeFeedEvent(key, report, last + 1))) === 'saved') return last + 1;
    // A sweep or a command may have appended very many events: read them instead of trying each number.
    const taken = await readTaken(ledger, key, last);
    const own = taken.find((entry) => isSameEvent(entry, makeFeedEvent(key, report, entry.sequence)));
    if (own !== undefined) return own.sequence;
    last = taken.at(-1)?.sequence ?? last;
  }
  throw new Error(
    `No number was free for an event of the feed of ${source}: ${last + 1} is taken as well. Try again.`,
  );
}

async function readTaken(ledger: Ledger, key: GroupKey, after: number): Promise<LedgerEntry[]> {
  const taken: LedgerEntry[] = [];
  for (;;) {
    const entries = await ledger.read(key, taken.at(-1)?.sequence ?? after, RELAY_READ_EVENTS);
    taken.push(...entries);
    if (entries.length < RELAY_READ_EVENTS) return taken;
  }
}

/** Whether the entry is this very event, appended before by a process that could not note it. */
function isSameEvent(entry: LedgerEntry, event: FeedEvent): boolean {
  return 'event' in entry && JSON.stringify(entry.event) === JSON.stringify(event);
}

interface ReadReport {
  readonly type: 'feed.source_read';
  readonly object: SourceRead;
  readonly time: Instant;
}
type AnyReport = FeedReport | ReadReport;

function makeFeedEvent(
  key: { readonly source: string; readonly generation: string; readonly group: OwnGroup },
  { type, object, time }: AnyReport,
  sequence: number,
): FeedEvent {
  return {
    ...makeEnvelope(type, `sources/${key.source}${SUBJECTS[type](sequence)}`, sequence, { ...key, time }),
    data: {
      generation: key.generation,
      sequence,
      object,
      observed: { after: null, by: formatInstant(time), through: 'poll' },
    },
  } as FeedEvent;
}

/**
 * The subject of each report, below the source. A report makes an earlier one with the same subject stale: a source's
 * condition, what is read, and the baseline (of a later generation). Each report of drift has a subject of its own.
 */
const SUBJECTS: Readonly<Record<AnyReport['type'], (sequence: number) => string>> = {
  'feed.source_degraded': () => '',
  'feed.source_recovered': () => '',
  'feed.baseline_completed': () => '/baseline',
  'feed.source_read': () => '/read',
  'feed.drift_detected': (sequence) => `/drift/${sequence}`,
};
