// How soon a reader knew each change, by the service's own history: from the moment of the change until the reader
// believed that state of the entity, or a later one. A change back to what the reader believes is no change to it.
import type { EntityHistory } from '../acceptance/history.ts';
import { type Learnt, stateOf } from './known-states.ts';

export interface FreshnessEvidence {
  readonly histories: readonly EntityHistory[];
  readonly learnt: readonly Learnt[];
  /** Whether the reader knows what was there at the start without having said so, as a silent baseline does. */
  readonly knewTheStart: boolean;
}

export interface Freshness {
  readonly changes: number;
  /** From the change until the reader knew it, in ms; Infinity stands for never. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly never: number;
  /** Entities that changed, and of which the reader does not believe the last state. */
  readonly wrong: number;
}

interface State {
  readonly changedAt: number;
  readonly text: string;
}

export function judgeFreshness({ histories, learnt, knewTheStart }: FreshnessEvidence): Freshness {
  const bySubject = groupBySubject(learnt);
  const delays: number[] = [];
  let wrong = 0;

  for (const history of histories) {
    const states = distinctStates(history);
    if (states.every(({ changedAt }) => changedAt === 0)) continue;
    const first = states[0]!;
    const silent = knewTheStart && first.changedAt === 0;
    const beliefs = [
      ...(silent ? [{ at: 0, state: first.text }] : []),
      ...(bySubject.get(history.subject) ?? []),
    ];
    if (beliefs.at(-1)?.state !== states.at(-1)!.text) wrong += 1;
    states.forEach(({ changedAt, text }, index) => {
      if (changedAt === 0 || believedAt(beliefs, changedAt) === text) return;
      delays.push(firstKnown(beliefs, states.slice(index)) - changedAt);
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

type Belief = Pick<Learnt, 'at' | 'state'>;

function believedAt(beliefs: readonly Belief[], time: number): string | undefined {
  return beliefs.findLast(({ at }) => at <= time)?.state;
}

/** When the reader first believed one of these states after it had begun. */
function firstKnown(beliefs: readonly Belief[], states: readonly State[]): number {
  const times = states.map(({ changedAt, text }) =>
    believedAt(beliefs, changedAt) === text
      ? changedAt
      : (beliefs.find(({ at, state }) => at >= changedAt && state === text)?.at ?? Infinity),
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
