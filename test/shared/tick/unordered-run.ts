// The parts of a tick that news, sweeps and polls by walk need, for a list without order. It notes its requests, and
// answers them with empty pages unless a test sets other answers.
import { HOUR, type Instant, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { createNewsMemory } from '../../../shared/reading/news.ts';
import type { Page, PageRequest } from '../../../shared/reading/page.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import { newCycle } from '../../../shared/source/cycle-state.ts';
import type { ListShape } from '../../../shared/source/source-session.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import type { TickRun } from '../../../shared/tick/tick-run.ts';
import { aState } from '../../contract/sample-states.ts';

export const NOW: Instant = 1_763_633_703_000_000;

/** A source with a complete baseline and walks of this many requests. */
export function settledState(requests: number, changes: Partial<SourceState> = {}): SourceState {
  const state = aState('acme', 1);
  const all = { ...newCycle(NOW - MINUTE), lastRequests: requests, lastCompletedAt: NOW - MINUTE };
  return {
    ...state,
    settledThrough: NOW - HOUR,
    baseline: { ...state.baseline, status: 'completed', requests },
    reconciliation: { ...state.reconciliation, all },
    guarding: { ...state.guarding, holds: [], usual: { ratePerHour: 0, learnedAt: NOW, isWhole: true } },
    ...changes,
  };
}

export interface UnorderedRun {
  readonly run: TickRun;
  readonly list: ListShape;
  /** All requests with their purposes, oldest first. */
  readonly asked: (PageRequest & { readonly purpose: string })[];
  /** Called with each request before it is answered. */
  onRequest: (request: PageRequest) => void;
  answer: (request: PageRequest) => Page['rows'];
  /** Advances both clocks. */
  advance(duration: number): void;
}

export function createUnorderedRun({
  state: initial = settledState(30),
  createdAt = [] as readonly Instant[],
  isUnordered = true,
  settings = {},
} = {}): UnorderedRun {
  let state = initial;
  let elapsed = HOUR;
  const begun = elapsed;
  const now = () => NOW + elapsed - begun;
  const asked: UnorderedRun['asked'] = [];
  const list: ListShape = { isUnordered, hasLostOrder: false, fullPage: 10, sweeps: {} };
  const session = {
    settings: {
      ...{ name: 'acme', intervalMs: 5_000, reconcileMs: 60_000, requestsPerMinute: 240, settleMs: 3_000 },
      ...{ lookbackMs: 300_000, requestTimeoutMs: 10_000, ...settings },
    },
    clock: { elapsed: () => elapsed },
    serviceClock: { now: () => ({ atLeast: now(), atMost: now() }) },
    store: {
      async *knownCreatedBetween(_source: unknown, from: Instant, to: Instant) {
        for (const instant of createdAt)
          if (instant >= from && instant < to) yield { groupId: instant / MILLISECOND, createdAt: instant };
      },
    },
    list,
    polling: { requests: 0, settledAt: begun },
    news: createNewsMemory(),
    overrunLogged: true,
  };
  const fetch = (purpose: string) => async (request: PageRequest) => {
    asked.push({ purpose, ...request });
    world.onRequest(request);
    return { rows: world.answer(request), bytes: 100_000, sentAt: now(), receivedAt: now() } satisfies Page;
  };
  const requestsSent = (...purposes: readonly string[]) =>
    asked.filter(({ purpose }) => purposes.length === 0 || purposes.includes(purpose)).length;
  const run: TickRun = {
    session,
    get state() {
      return state;
    },
    stamps: { ...UNKNOWN_STAMPS, newest: NOW, newestReceivedAt: NOW },
    update(change: (before: SourceState) => SourceState) {
      state = change(state);
    },
    save: async () => {},
    isComplete: false,
    swept: 0,
    walked: new Set(['all']),
    requestsSent,
    requestsOfWalks: () => requestsSent('reconciliation') - run.swept,
    fetchAndLearn: fetch,
    recorder: () => ({ take: async () => {}, record: async () => {} }),
  } as unknown as TickRun;
  const world: UnorderedRun = {
    run,
    list,
    asked,
    onRequest: () => {},
    answer: () => [],
    advance(duration) {
      elapsed += duration;
    },
  };
  return world;
}
