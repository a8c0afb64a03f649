// When each state of a group could be read: from the primary, or from a lagging replica.
import type { GroupDocument, Happening, Time } from './evidence.ts';

export interface Showing {
  /** The first moment at which a read could show it. */
  readonly from: Time;
  /** The first moment from which no read can show it. */
  readonly to: Time;
  /** Undefined if the group did not exist. */
  readonly document: GroupDocument | undefined;
}

/**
 * Returns the readable states, in the order of the store's history. A state that appeared later than its successor is
 * omitted, unless a replica may have shown it.
 *
 * @param staleFor the maximum lag of replicas
 */
export function showingsOf(happenings: readonly Happening[], staleFor: number): Showing[] {
  const showings: Showing[] = [];
  let to = Number.POSITIVE_INFINITY;
  for (const { at, shownFrom, document } of [...happenings].reverse()) {
    if (shownFrom < to) showings.push({ from: shownFrom, to, document });
    to = Math.min(to, Math.max(shownFrom, at + staleFor));
  }
  showings.reverse();
  const first = showings[0];
  // A group created during the watch did not exist before.
  if (first === undefined || first.from === Number.NEGATIVE_INFINITY) return showings;
  return [{ from: Number.NEGATIVE_INFINITY, to: first.from + staleFor, document: undefined }, ...showings];
}

/** Merges neighbouring states with the same value. */
export interface Run<Value> {
  readonly from: Time;
  readonly to: Time;
  readonly value: Value;
}

export function runsOf<Value>(
  showings: readonly Showing[],
  look: (document: GroupDocument | undefined) => Value,
): Run<Value>[] {
  const runs: Run<Value>[] = [];
  for (const { from, to, document } of showings) {
    const value = look(document);
    const last = runs.at(-1);
    if (last === undefined || last.value !== value) runs.push({ from, to, value });
    else runs[runs.length - 1] = { from: Math.min(last.from, from), to: Math.max(last.to, to), value };
  }
  return runs;
}
