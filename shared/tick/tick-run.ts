// One tick at work: the source's state as it changes, and what the tick learns on the way. poll-source.ts calls the
// steps in their order: start, poll, walk, conclude. Each is a function of a TickRun; the other files help them.
import type { Reading } from '../comparing/snapshot.ts';
import { guardRequests } from '../guarding/guard-requests.ts';
import { createTokenGuard, type SourceTokenGuard } from '../guarding/token-guard.ts';
import type { Purpose } from '../pacing/budget-state.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import { type DepthKeeper, noteRefused, noteShown } from '../reading/list-depth.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { createLookUp, createPageSource } from '../reading/page-source.ts';
import type { Recorder } from '../recording/record-pages.ts';
import type { Tier } from '../source/cycle-state.ts';
import { createSourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { BaselineState, SourceState, StampsState } from '../source/source-state.ts';
import { createPageLearner } from './learn-from-pages.ts';
import { createTickFigures } from './tick-figures.ts';
import { createTickRecorder, type RecorderChoice } from './tick-recorder.ts';
import type { TickReport } from './tick-report.ts';

/** The kinds of ranges that a tick reads. */
export type RangeKind = 'poll' | 'baseline' | Tier;

export interface TickRun {
  readonly session: SourceSession;
  /** How long the tick may work in all, in the unit of Instant. */
  readonly duration: number;
  /** The source's state. @throws Error before there is one */
  readonly state: SourceState;
  /** The known facts about the stamps, even before the first state. */
  readonly stamps: StampsState;
  polls: number;
  /** Whether this tick's last poll covered everything. */
  isComplete: boolean;
  /** The kind of the range that is being read. If the deadline cuts it off, it was too wide for a tick. */
  readonly unfinished: RangeKind | undefined;
  /** How the list last failed to keep its order in a poll, if it did. */
  unstable: string | undefined;
  /** The same for the baseline. */
  unstableBaseline: string | undefined;
  /** Whether the last poll could not see changes. */
  pollsAreBlind: boolean;
  /** The walks that made progress in this tick. */
  readonly walked: Set<'baseline' | Tier>;
  /** Why the last poll failed, if that did not end the tick. */
  pollFailure: Error | undefined;
  /** Requests of the sweeps of this tick. */
  swept: number;
  /** How far lists can be paged. */
  readonly depth: DepthKeeper;
  readonly tokenGuard: SourceTokenGuard;
  /** A group that this tick has seen. */
  readonly lastSeenId: number | undefined;
  /** Sets the state that was loaded or created. */
  begin(state: SourceState): void;
  /** The only way to change the state. */
  update(change: (state: SourceState) => SourceState): void;
  /** @throws LeaseLost */
  save(): Promise<void>;
  /** Reads a range of this kind. If the deadline ends the work, the range stays {@link unfinished}. */
  within<Result>(kind: RangeKind, read: () => Promise<Result>): Promise<Result>;
  /** Call when the range was read to its end: the deadline can only cut off a later one. */
  noteCovered(): void;
  /** Values and fields that the service's document does not list. */
  drift(): string[];
  /** Requests of this tick so far: for the given purposes, or for all. */
  requestsSent(...purposes: readonly Purpose[]): number;
  /** Those of walks alone, without sweeps. */
  requestsOfWalks(): number;
  /** Reports how far the baseline is, including groups that it has read and not yet covered. */
  progress(baseline: BaselineState): void;
  /** Fetches pages, learns from each, and saves the state where a field is new. */
  fetchAndLearn(purpose: Purpose): FetchPage;
  /** The same for one group, by its id. */
  lookUpAndLearn(groupId: number, purpose?: Purpose): Promise<Page>;
  recorder(through: Reading['through'], choice?: RecorderChoice): Recorder;
  report(outcome: TickReport['outcome'], error: Error | undefined): TickReport;
}

export function createTickRun(session: SourceSession): TickRun {
  const { signal } = session;
  const cell = createSourceCell(session.states, session.ledger);
  const learner = createPageLearner(session, cell);
  const tokenGuard = createTokenGuard({ session, cell });
  const requests = guardRequests(session.requests, tokenGuard);
  const figures = createTickFigures(session, requests);
  const observe = learner.learn;
  let unfinished: RangeKind | undefined;

  /**
   * Saves the time of a new field before any snapshot with that field is saved: learned again after a crash, that
   * time would be later, and the snapshot's own changes would be filled in instead of published.
   */
  async function keepNewFields(page: Page): Promise<Page> {
    if (learner.takeNewFields()) await cell.save();
    return page;
  }

  const run: TickRun = {
    session,
    duration: session.deadline - session.clock.elapsed(),
    get state() {
      return cell.state;
    },
    get stamps() {
      return learner.stamps;
    },
    polls: 0,
    isComplete: false,
    get unfinished() {
      return unfinished;
    },
    unstable: undefined,
    pollsAreBlind: false,
    unstableBaseline: undefined,
    walked: new Set(),
    pollFailure: undefined,
    swept: 0,
    depth: learner.depth,
    tokenGuard,
    get lastSeenId() {
      return learner.lastSeenId;
    },
    begin: cell.begin,
    update: cell.update,
    save: cell.save,
    async within(kind, read) {
      const outer = unfinished;
      unfinished = kind;
      try {
        const result = await read();
        unfinished = outer;
        return result;
      } catch (error) {
        if (!(error instanceof DeadlineReached)) unfinished = outer;
        throw error;
      }
    },
    noteCovered() {
      unfinished = undefined;
    },
    drift: learner.drift,
    requestsSent: figures.requestsSent,
    requestsOfWalks: () => figures.requestsSent('reconciliation') - run.swept,
    progress: (baseline) =>
      session.onProgress?.({ ...run.report('done', undefined), state: { ...cell.state, baseline } }),
    fetchAndLearn(purpose) {
      const fetchPage = createPageSource({
        requests,
        purpose,
        stamps: () => learner.stamps,
        pageLimit: learner.pageLimit,
        observe,
        refusedFrom: (range, offset) => learner.depth.learn(range, (known) => noteRefused(known, offset)),
        signal,
      });
      return async (request) => {
        const page = await fetchPage(request);
        const shownTo = request.offset + page.rows.length;
        if (page.rows.length > 0) learner.depth.learn(request.range, (known) => noteShown(known, shownTo));
        session.activity.showProgress();
        return keepNewFields(page);
      };
    },
    lookUpAndLearn: async (groupId, purpose = 'reconciliation') =>
      keepNewFields(await createLookUp({ requests, purpose, observe, signal })(groupId)),
    recorder(through, choice) {
      const recorder = createTickRecorder({ session, cell, learner }, through, choice);
      figures.countRecorder(recorder, through);
      return recorder;
    },
    report(outcome, error) {
      const unstable = run.unstableBaseline ?? run.unstable;
      return { ...figures.report(outcome, run.polls, cell.known, error), unstable };
    },
  };
  return run;
}

/** The source whose groups a store is asked for. */
export function sourceOf({ session, state }: Pick<TickRun, 'session' | 'state'>) {
  return { source: session.settings.name, generation: state.generation };
}
