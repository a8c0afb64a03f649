// Measures how soon a reader knew each change, against the service's own history: from the change until the reader had
// that state of the entity, or a later one. A change back to the state that the reader has is not counted.
import type { EntityHistory } from '../acceptance/history.ts';
import { type Learnt, stateOf } from './known-states.ts';

export interface FreshnessEvidence {
  readonly histories: readonly EntityHistory[];
  readonly learnt: readonly Learnt[];
  /** Whether the reader has the states of the start without reporting them, like a silent baseline. */
  readonly knowsInitialState: boolean;
}

export interface Freshness {
  readonly changes: number;
  /** From the change until the reader knew it, in ms; Infinity: never. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly never: number;
  /** Changed entities of which the reader does not have the last state. */
  readonly wrong: number;
}

interface State {
  readonly changedAt: number;
  readonly text: string;
}

export function judgeFreshness({ histories, learnt, knowsInitialState }: FreshnessEvidence): Freshness {
  const bySubject = groupBySubject(learnt);
  const delays: number[] = [];
  let wrong = 0;

  for (const history of histories) {
    const states = distinctStates(history);
    if (states.every(({ changedAt }) => changedAt === 0)) continue;
    const first = states[0]!;
    const silent = knowsInitialState && first.changedAt === 0;
    const known = [
      ...(silent ? [{ at: 0, state: first.text }] : []),
      ...(bySubject.get(history.subject) ?? []),
    ];
    if (known.at(-1)?.state !== states.at(-1)!.text) wrong += 1;
    states.forEach(({ changedAt, text }, index) => {
      if (changedAt === 0 || knownAt(known, changedAt) === text) return;
      delays.push(firstKnown(known, states.slice(index)) - changedAt);
    });
  }
  return { ...percentiles(delays), wrong };
}

function groupBySubject(learnt: readonly Learnt[]): Map<string, Learnt[]> {
  const groups = new Map<string, Learnt[]>();
  for (const one of learnt) {
    const group = groups.get(one.subject);
    if (group) group.push(one);
    else groups.set(one.subject, [one]);
  }
  return groups;
}

/** The states that differ from the one before in a watched field. */
function distinctStates({ kind, states }: EntityHistory): State[] {
  const all = states.map(({ changedAt, fields }) => ({ changedAt, text: stateOf(kind, fields) }));
  return all.filter(({ text }, index) => all[index - 1]?.text !== text);
}

type KnownState = Pick<Learnt, 'at' | 'state'>;

function knownAt(known: readonly KnownState[], time: number): string | undefined {
  return known.findLast(({ at }) => at <= time)?.state;
}

/** When the reader first had one of these states after the state began. */
function firstKnown(known: readonly KnownState[], states: readonly State[]): number {
  const times = states.map(({ changedAt, text }) =>
    knownAt(known, changedAt) === text
      ? changedAt
      : (known.find(({ at, state }) => at >= changedAt && state === text)?.at ?? Infinity),
  );
  return Math.min(...times);
}

function percentiles(delays: number[]): Omit<Freshness, 'wrong'> {
  const sorted = delays.toSorted((one, other) => (one === other ? 0 : one - other));
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return {
    changes: sorted.length,
    p50: at(0.5),
    p99: at(0.99),
    most: at(1),
    never: sorted.filter((delay) => delay === Infinity).length,
  };
}
