// For jobs that close a day: up to which moment a source is read, by the `feed.source_read` events that a subscriber gets.
// An ordered subscriber gets them if its filter names the type, the bus has them for every rule.
//
//   const read = createReadUpTo();
//   export const handler = createQueueSubscriber({ on: { ...read.on, … } });
//   read.readUpTo('acme')
//
// "Read" means that the changes are in the ledger. They may still be on their way to this subscriber: each return has a
// message group of its own, so an event of another return may arrive after the report that covers it
// (docs/subscribing.md, "Close a day").
import type { EventOf } from '../../shared/contract/event.ts';
import type { Handlers } from './subscriber-options.ts';

type SourceReadEvent = EventOf<'feed.source_read'>;

/** The newest report about a source. */
export interface SourceReading {
  readonly generation: string;
  /**
   * Changes that were made before it by the feed's clock, and moved their return's stamp, are in the ledger if they showed
   * within the lookback: the moment of the last complete poll less lookback and settle. Undefined before the first.
   */
  readonly readUpTo: Date | undefined;
  /**
   * The moment that the last complete walks over all returns stand for: everything that showed twice settle before was
   * compared, whatever its stamp. Undefined until the baseline is completed.
   */
  readonly walkedAt: Date | undefined;
  /** Returns and entities that are held: their changes are missing. */
  readonly held: number;
  /** Returns and places that are not known, until they were read: their changes may be missing. */
  readonly setAside: number;
  /** When it was reported, by the feed's clock. */
  readonly reportedAt: Date;
}

export interface ReadUpTo {
  /** The handler to spread into `on`. */
  readonly on: Pick<Handlers, 'feed.source_read'>;
  /** Returns what the newest report that this process received says; undefined before the first. */
  readUpTo(source: string): SourceReading | undefined;
}

/** Keeps the newest report of each source that this process receives. */
export function createReadUpTo(): ReadUpTo {
  const newest = new Map<string, SourceReadEvent>();
  return {
    on: {
      'feed.source_read'(event) {
        const { name } = event.data.object;
        const known = newest.get(name);
        if (known === undefined || isNewer(event, known)) newest.set(name, event);
      },
    },
    readUpTo(source) {
      const event = newest.get(source);
      return event && readingOf(event);
    },
  };
}

/**
 * Whether a report covers every change that was made before a moment, nothing is held, and no return is set aside.
 *
 * @throws RangeError for a text that is no moment
 */
export function isReadUpTo(event: SourceReadEvent, moment: Date | string): boolean {
  const until = new Date(moment).getTime();
  if (Number.isNaN(until)) throw new RangeError(`"${String(moment)}" is no moment: write it as ISO 8601.`);
  const { readUpTo, held, setAside } = readingOf(event);
  return readUpTo !== undefined && readUpTo.getTime() >= until && held === 0 && setAside === 0;
}

/** What a report says. */
export function readingOf({ data, time }: SourceReadEvent): SourceReading {
  const { generation, object } = data;
  const polledAt = momentOf(object.polled_at);
  return {
    generation,
    readUpTo: polledAt && new Date(polledAt.getTime() - object.lookback_ms - object.settle_ms),
    walkedAt: momentOf(object.walked_at),
    held: object.held,
    setAside: object.set_aside,
    reportedAt: new Date(time),
  };
}

/** Generations sort by their text while they have the same length, as they do until the year 2059. */
function isNewer(
  { data: { generation, sequence } }: SourceReadEvent,
  { data: known }: SourceReadEvent,
): boolean {
  return generation === known.generation ? sequence > known.sequence : generation > known.generation;
}

/** Cut to milliseconds, so never later than it was. */
function momentOf(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
