// The messages of a reader's page, made of the events of its positions: each event that passes the filter, or each return
// of such an event once, as it is when the page is read. A return that changes again meanwhile comes again in a later page,
// so a client that keeps the newest state ends with it, whatever the pages, repeats and restarts.
import { type EventFilter, matchesFilter } from '../contract/event-filter.ts';
import { type EventIdParts, parseEventId } from '../contract/event-id.ts';
import { chunked, inParallel } from '../in-parallel.ts';
import { formatGroupKey } from '../recording/group-key.ts';
import { type ReturnPorts, readReturn } from '../whole-returns/read-return.ts';
import type { PositionedEvent } from './positions.ts';

export interface Page {
  /** Takes the event of the next position. */
  take(positioned: PositionedEvent): void;
  /** How many messages the events so far make. */
  readonly count: number;
  /** Whether the messages so far leave no room for another one. */
  readonly isFull: boolean;
  finish(): Promise<FinishedPage>;
}

export interface FinishedPage {
  /** Each message as JSON. */
  readonly texts: readonly string[];
  /** The last position that they show; undefined if they show all that were taken. */
  readonly endsAt?: number;
}

export type ReturnPagePorts = Omit<ReturnPorts, 'filter'>;

/** The message that reaches it is a page's last one. */
const PAGE_CHARACTERS = 1_024 * 1_024;
const RETURNS_AT_ONCE = 16;

export function createEventPage(filter: EventFilter): Page {
  const texts: string[] = [];
  let characters = 0;
  return {
    take({ event }) {
      if (!matchesFilter(filter, event)) return;
      const text = JSON.stringify(event);
      texts.push(text);
      characters += text.length;
    },
    get count() {
      return texts.length;
    },
    get isFull() {
      return characters >= PAGE_CHARACTERS;
    },
    finish: async () => ({ texts }),
  };
}

interface PagedReturn {
  readonly key: Omit<EventIdParts, 'sequence'>;
  /** The numbers of its first and its last event in the page. */
  readonly first: number;
  readonly last: number;
  /** The position of its first event that passes the filter; undefined while none does. */
  readonly position: number | undefined;
}

export function createReturnPage(ports: ReturnPagePorts, filter: EventFilter): Page {
  const returns = new Map<string, PagedReturn>();
  let count = 0;
  return {
    take({ position, event }) {
      const parts = parseEventId(event.id);
      if (parts === undefined) throw new Error(`"${event.id}" is not an id of an event.`);
      const { sequence: last, ...key } = parts;
      const name = formatGroupKey(key);
      const known = returns.get(name) ?? { key, first: last, position: undefined };
      const begins = known.position === undefined && matchesFilter(filter, event);
      if (begins) count += 1;
      returns.set(name, { ...known, last, ...(begins && { position }) });
    },
    get count() {
      return count;
    },
    // Their lengths show when they are made.
    isFull: false,
    async finish() {
      const passing = [...returns.values()]
        .flatMap(({ position, ...rest }) => (position === undefined ? [] : [{ position, ...rest }]))
        .sort((a, b) => a.position - b.position);
      const texts: string[] = [];
      let characters = 0;
      for (const some of chunked(passing, RETURNS_AT_ONCE)) {
        const read = await inParallel(some, RETURNS_AT_ONCE, async ({ key, first, last, position }) => ({
          position,
          found: await readReturn({ ...ports, filter }, key, first - 1, last),
        }));
        for (const { position, found } of read) {
          if (characters >= PAGE_CHARACTERS) return { texts, endsAt: position - 1 };
          // Without a state the tables were replaced: the return begins anew in another generation.
          if (!found?.isAdmitted) continue;
          const text = JSON.stringify(found.message);
          texts.push(text);
          characters += text.length;
        }
      }
      return { texts };
    },
  };
}
