// The record of a run: a hash of everything, so that two runs of one seed can be compared; counts, so that missing cases are
// found; and, on request, a line for each entry.
import { formatInstant, type Instant } from '../../shared/instant.ts';

export interface Trace {
  /** @param detail only for readers: evaluated if lines are requested */
  note(who: string, what: string, detail?: () => string): void;
  /** A line for readers, outside the hash. */
  tell(who: string, detail: () => string): void;
  tellAt(at: Instant, who: string, detail: string): void;
  /** @param times 1 unless given */
  count(occurrence: string, times?: number): void;
  readonly hash: string;
  readonly occurrences: ReadonlyMap<string, number>;
  readonly lines: readonly string[];
}

/** Number of characters of a line's time. */
const TIME = 27;

export function createTrace(now: () => Instant, isRead: boolean): Trace {
  const occurrences = new Map<string, number>();
  const lines: string[] = [];
  let hash = 0x811c9dc5;

  function add(number: number): void {
    hash = Math.imul(hash ^ (number & 0xffff), 0x01000193);
    hash = Math.imul(hash ^ (number >>> 16), 0x01000193);
  }

  function addText(text: string): void {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }

  return {
    note(who, what, detail) {
      const at = now();
      add(at >>> 0);
      addText(who);
      addText(what);
      if (isRead) lines.push(`${formatInstant(at)} ${who} ${what}${detail ? ` ${detail()}` : ''}`);
    },
    tell(who, detail) {
      if (isRead) lines.push(`${formatInstant(now())} ${who}   ${detail()}`);
    },
    tellAt(at, who, detail) {
      lines.push(`${formatInstant(at)} ${who} ${detail}`);
    },
    count(occurrence, times = 1) {
      occurrences.set(occurrence, (occurrences.get(occurrence) ?? 0) + times);
    },
    get hash() {
      return (hash >>> 0).toString(16).padStart(8, '0');
    },
    occurrences,
    get lines() {
      // The sort is stable: events of the same moment stay in order.
      return lines.sort((a, b) =>
        a.slice(0, TIME) < b.slice(0, TIME) ? -1 : a.slice(0, TIME) > b.slice(0, TIME) ? 1 : 0,
      );
    },
  };
}
