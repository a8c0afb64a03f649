// One tick at work: the source's state as it changes, its requests and its recorder.
import { noteFinding } from '../guarding/findings.ts';
import { createIdentity, type Identity } from '../guarding/identity.ts';
import { formatInstant, type Instant, MILLISECOND } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import type { Turn } from '../pacing/turns.ts';
import type { KnownGroup } from '../ports.ts';
import { noteAge, type Position } from '../position/position.ts';
import { noteEmptyList, proofOfEmptyList } from '../reading/not-found.ts';
import { EARLIEST, type Interval, LATEST, type Page, type Range, rowsOutside } from '../reading/range.ts';
import { createRecorder, type Recorder } from '../recording/record-page.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import { RequestAbortedError, RequestTimedOutError } from '../returns-service/errors.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';
import { hasFresh, lateRhythm, type Pace, promisedRhythm } from '../source/rhythms.ts';
import { createSourceCell, type SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { LaneName, SourceState } from '../source/source-state.ts';

export interface AskOptions {
  /** Tries in all; by default as many as help. */
  readonly tries?: number | undefined;
  /** Whether it has a quarter of the time: a range with its rows has timed out. */
  readonly isSlow?: boolean | undefined;
  /** Whether caches are asked not to answer it: it decides, or repeats a doubtful reading. */
  readonly skipsCaches?: boolean | undefined;
  /** The range that was asked for: rows outside of it are reported. */
  readonly range?: Range | undefined;
}

export interface TickRun {
  readonly session: SourceSession;
  readonly state: SourceState;
  readonly cell: SourceCell;
  readonly identity: Identity;
  readonly recorder: Recorder;
  /** The last failure of a request, and the lane it was in. */
  failure: Error | undefined;
  /** Complete rounds of polls in this tick. */
  polls: number;
  /** Values and fields that the service's document does not list. */
  readonly drift: Set<string>;
  /** The only ways to change the state, and the position in it. */
  update(change: (state: SourceState) => SourceState): void;
  updatePosition(change: (position: Position) => Position): void;
  now(): Instant;
  /** Waits, unless the tick ends before. */
  sleep(duration: number): Promise<void>;
  /**
   * Sends a request in its lane's turn.
   *
   * @throws DeadlineReached, SourceHeld, what requests throw
   */
  ask(lane: LaneName, query: ReturnGroupsQuery, options?: AskOptions): Promise<Page>;
  /** Reports the progress of the baseline. */
  progress(): void;
  /** Ends the work of all lanes. */
  stop(): void;
  /** Aborted when the lanes have to end. */
  readonly stopped: AbortSignal;
}

const SLOW_SHARE = 0.25;
const NO_ROWS = { rows: [], drift: ['404 instead of an array'], bytes: 0, largestRow: 0, age: 0 } as const;

/** @param onProgress called with the run while the baseline makes progress */
export function createTickRun(session: SourceSession, onProgress: (run: TickRun) => void): TickRun {
  const { requests, settings, clock, states, ledger } = session;
  const cell = createSourceCell(states, ledger);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const identity = createIdentity(session, requests, cell);
  const drift = new Set<string>();

  async function ask(lane: LaneName, query: ReturnGroupsQuery, options: AskOptions = {}): Promise<Page> {
    try {
      return await askTrusted(lane, query, options);
    } catch (error) {
      // The end of the tick says nothing of the service, but what it cut off may.
      const failure = error instanceof DeadlineReached ? error.cause : error;
      if (failure instanceof Error && !(failure instanceof RequestAbortedError)) run.failure = failure;
      throw error;
    }
  }

  /** Asks until the address and the token of the answer are proved to show this source. */
  async function askTrusted(
    lane: LaneName,
    query: ReturnGroupsQuery,
    { tries, isSlow = false, skipsCaches, range }: AskOptions,
  ): Promise<Page> {
    const { signal } = stopping;
    let isHasty = isSlow;
    async function list(asked: ReturnGroupsQuery, most = tries, isPastCaches = skipsCaches) {
      const turn = turnOf(lane, cell.state, settings, clock.now());
      async function send(client: ReturnsServiceClient) {
        const timeoutMs = settings.requestTimeoutMs * (isHasty ? SLOW_SHARE : 1);
        try {
          return await client.listReturnGroups(asked, { signal, timeoutMs, skipsCaches: isPastCaches });
        } catch (error) {
          isHasty ||= error instanceof RequestTimedOutError;
          throw error;
        }
      }
      return await requests.send(turn, send, { signal, ...(most === undefined ? {} : { tries: most }) });
    }
    async function listOrNothing() {
      const sentAt = clock.now();
      try {
        const sent = await list(query);
        if (sent.answer.rows.length === 0) noteEmptyList(session.notFound, query);
        return sent;
      } catch (error) {
        const asked = { query, now: clock.now(), form: cell.state.stampForm };
        const proof = await proofOfEmptyList(session.notFound, error, asked, (other) => list(other, 1, true));
        if (proof === undefined) throw error;
        return { ...proof, sentAt, answer: NO_ROWS };
      }
    }
    for (;;) {
      const sent = await listOrNothing();
      if (!(await identity.isTrusted(sent.accessHash))) continue;
      const { rows, bytes, largestRow, drift: findings, age = 0 } = sent.answer;
      for (const finding of findings) drift.add(finding);
      const page = { rows, bytes, largestRow, sentAt: sent.sentAt, receivedAt: sent.receivedAt };
      const isOld = age > settings.settleMs * MILLISECOND;
      run.updatePosition((position) => noteAge(position, isOld, clock.now()));
      if (range !== undefined) checkRange(lane, range, page);
      return page;
    }
  }

  function checkRange(lane: LaneName, range: Range, page: Page): void {
    const [first, ...others] = rowsOutside(range, page.rows);
    if (first === undefined) return;
    const example = `return group ${first.group.id}, updated_at ${formatInstant(first.updatedAt)}`;
    const found = { code: 'filter_ignored', lane, count: 1 + others.length, example } as const;
    cell.update((state) => noteFinding(state, found, clock.now()));
  }

  const run: TickRun = {
    ...{ session, cell, identity, drift, stop },
    recorder: createRecorder(session, cell, identity.noteKnown),
    failure: undefined,
    polls: 0,
    get state() {
      return cell.state;
    },
    update: cell.update,
    updatePosition: (change) => cell.update((state) => ({ ...state, position: change(state.position) })),
    now: clock.now,
    sleep: (duration) => clock.sleep(Math.max(1, Math.ceil(duration / MILLISECOND)), stopping.signal),
    ask,
    progress: () => onProgress(run),
    stopped: stopping.signal,
  };
  return run;
}

/** When a lane's request is sent: the newest changes first, and what is before its time last. */
function turnOf(lane: LaneName, state: SourceState, pace: Pace, now: Instant): Turn {
  const { position, baselineAt } = state;
  const isAlone = !hasFresh(pace, state.lanes.late.requests);
  const usesAll = baselineAt === undefined || isAlone;
  if (lane === 'fresh') return { lane, order: 'first' };
  if (lane === 'look-ups') return { lane, usesAll };
  const age = now - (position.readAt[lane] ?? Number.NEGATIVE_INFINITY);
  if (lane === 'late') {
    const isOverdue = age > Math.max(2 * lateRhythm(pace), (pace.lookbackMs * MILLISECOND) / 2);
    return { lane, order: isAlone ? 'first' : isOverdue ? 'overdue' : 'due', usesAll };
  }
  return { lane, order: age < promisedRhythm(lane, pace) ? 'early' : 'due', usesAll };
}

/** The known groups of an interval of creation. */
export async function knownIn(
  run: Pick<TickRun, 'session' | 'state'>,
  { from = EARLIEST, to = LATEST }: Interval,
): Promise<Map<number, KnownGroup>> {
  const groups = new Map<number, KnownGroup>();
  for await (const group of run.session.store.knownCreatedBetween(sourceOf(run), from, to))
    groups.set(group.groupId, group);
  return groups;
}

/** The source whose groups a store is asked for. */
export function sourceOf({ session, state }: Pick<TickRun, 'session' | 'state'>) {
  return { source: session.settings.name, generation: state.generation };
}
