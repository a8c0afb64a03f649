// One tick at work: the source's state as it changes, and what the tick learns on the way. A save succeeds only if no
// other process saved the state since; otherwise the tick stops at once.
import { createUnknowable, learnFields } from '../comparing/known-fields.ts';
import type { Reading } from '../comparing/snapshot.ts';
import { guardRequests } from '../guarding/guard-requests.ts';
import { guardReadings } from '../guarding/guards-of-run.ts';
import type { ReadingGuard } from '../guarding/reading-guard.ts';
import { createTokenGuard, type SourceTokenGuard } from '../guarding/token-guard.ts';
import { type Instant, MILLISECOND } from '../instant.ts';
import { SHORT_PAGE_ROWS } from '../limits.ts';
import type { Purpose } from '../pacing/budget-state.ts';
import { type DepthKeeper, noteRefused, noteShown, UNKNOWN_DEPTH } from '../reading/list-depth.ts';
import type { FetchPage, Page } from '../reading/page.ts';
import { createLookUp, createPageSource } from '../reading/page-source.ts';
import { learnLead, learnStamps, UNKNOWN_STAMPS } from '../reading/stamps-clock.ts';
import { createRecorder, type RecordCounts, type Recorder } from '../recording/record-pages.ts';
import { publishFeedReports } from '../reporting/feed-reports.ts';
import { describeFailure } from '../reporting/health.ts';
import { nextCycleIn } from '../source/reconciliation-plan.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { BaselineState, SourceState, StampsState, Tier } from '../source/source-state.ts';
import { noteSetAside, takeBack } from './set-aside.ts';
import type { TickReport } from './tick-report.ts';

/** Thrown when another process saved the source's state since this one loaded it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface TickRun {
  readonly session: SourceSession;
  /** How long the tick may work in all, in the unit of Instant. */
  readonly duration: number;
  /** The source's state. @throws Error before there is one */
  state: SourceState;
  /** What is known about the stamps, even before the first state. */
  readonly stamps: StampsState;
  polls: number;
  /** Whether this tick's last poll covered everything. */
  isComplete: boolean;
  /** Whose range is being read; a range that the deadline cuts off was too wide for a tick. */
  unfinished: 'poll' | 'baseline' | Tier | undefined;
  /** How the list last failed to keep its order, if it did. */
  unstable: string | undefined;
  /** The walks that got on in this tick. */
  readonly walked: Set<'baseline' | Tier>;
  /** Why the last poll failed, if that did not end the tick. */
  pollFailure: Error | undefined;
  /** Look-ups of this tick that failed. */
  failedLookUps: number;
  /** How far lists can be paged. */
  readonly depth: DepthKeeper;
  readonly tokenGuard: SourceTokenGuard;
  /** A group that this tick has seen. */
  readonly lastSeenId: number | undefined;
  /** Values and fields that the service's document does not list. */
  drift(): string[];
  /** Requests of this tick so far: all, or those for one purpose. */
  requestsSent(purpose?: Purpose): number;
  /** Reports how far the baseline is, including groups that it has read and not yet covered. */
  progress(baseline: BaselineState): void;
  fetch(purpose: Purpose): FetchPage;
  /** Requests one group by its id. */
  lookUp(groupId: number): Promise<Page>;
  /** @param guard by default the one for readings that come this way */
  recorder(through: Reading['through'], guard?: ReadingGuard): Recorder;
  /** @throws LeaseLost */
  save(): Promise<void>;
  report(outcome: TickReport['outcome'], error: Error | undefined): TickReport;
}

export function createTickRun(session: SourceSession): TickRun {
  const { states, settings, signal } = session;
  const before = session.requests.counters();
  const drift = new Set<string>();
  const recorders: Recorder[] = [];
  const reconcilers: Recorder[] = [];
  let state: SourceState | undefined;
  let stamps: StampsState = UNKNOWN_STAMPS;
  let firstDepth = UNKNOWN_DEPTH;
  let lastSeenId: number | undefined;
  let hasNewFields = false;
  /** Since when each group is set aside, including those that became readable in this tick. */
  const unread = new Map<number, Instant>();
  const pageLimit = {
    get current() {
      return state?.pageLimit ?? firstPageLimit;
    },
    set current(limit: number) {
      firstPageLimit = limit;
      if (state !== undefined) state = { ...state, pageLimit: limit };
    },
  };
  let firstPageLimit = Number.MAX_SAFE_INTEGER;
  const tokenGuard = createTokenGuard({
    session,
    current: () => state,
    change(next) {
      state = next;
    },
  });
  const requests = guardRequests(session.requests, tokenGuard);

  /**
   * Without a Date, `newestReceivedAt` is by the clock of the process that received the stamp, which says nothing
   * here: no time counts as passed since then.
   */
  function anchored(known: StampsState, { receivedAt }: Page): StampsState {
    if (session.hasAnswers) return known;
    session.hasAnswers = true;
    return session.serviceClock.isKnown() ? known : { ...known, newestReceivedAt: receivedAt };
  }

  function observe(page: Page, found: readonly string[]): void {
    stamps = learnStamps(anchored(state?.stamps ?? stamps, page), page.rows, page.receivedAt);
    for (const finding of found) drift.add(finding);
    const shown = page.rows.find((row) => row.kind === 'readable');
    if (shown?.kind === 'readable') lastSeenId = shown.group.id;
    if (state === undefined) return;
    let { fieldsSince } = state;
    for (const row of page.rows) {
      if (row.kind === 'readable') fieldsSince = learnFields(fieldsSince, row.group, page.sentAt);
    }
    hasNewFields ||= fieldsSince !== state.fieldsSince;
    for (const { groupId, since } of state.setAside) if (groupId !== undefined) unread.set(groupId, since);
    const fullPageSeen = state.fullPageSeen || page.rows.length >= SHORT_PAGE_ROWS;
    state = takeBack({ ...state, stamps, fieldsSince, fullPageSeen }, page.rows);
  }

  const depth: DepthKeeper = {
    current: () => state?.listDepth ?? firstDepth,
    learn(change) {
      firstDepth = change(depth.current());
      if (state !== undefined) state = { ...state, listDepth: firstDepth };
    },
  };

  function rateLimited(): number {
    const now = session.requests.counters();
    const limited = (name: Purpose) => now[name].rateLimited - before[name].rateLimited;
    return limited('poll') + limited('reconciliation');
  }

  /** By slots, like the source's health: since polls covered everything, or walks last got on. */
  function behindMs({ health, lastSlot }: SourceState): number {
    const { lastSettledAt, lastWalkedAt = lastSettledAt } = health;
    return Math.max(0, lastSlot - Math.min(lastSettledAt, lastWalkedAt) / MILLISECOND);
  }

  function nextCycleInMs(state: SourceState): number | undefined {
    const next = nextCycleIn(state, settings, session.serviceClock.now().atLeast);
    return next === undefined ? undefined : Math.ceil(next / MILLISECOND);
  }

  /**
   * Saves since when a field is sent before any snapshot with that field is saved: learned again after a crash, that
   * moment would be later, and the snapshot's own changes would be filled in instead of published.
   */
  async function keepNewFields(page: Page): Promise<Page> {
    if (!hasNewFields) return page;
    hasNewFields = false;
    await run.save();
    return page;
  }

  const lookUp = createLookUp({ requests, purpose: 'reconciliation', observe, signal });
  const run: TickRun = {
    session,
    duration: session.deadline - session.clock.elapsed(),
    get state() {
      if (state === undefined) throw new Error('The source has no state yet.');
      return state;
    },
    set state(next: SourceState) {
      state = next;
    },
    get stamps() {
      return state?.stamps ?? stamps;
    },
    polls: 0,
    isComplete: false,
    unfinished: undefined,
    unstable: undefined,
    walked: new Set(),
    pollFailure: undefined,
    failedLookUps: 0,
    depth,
    tokenGuard,
    get lastSeenId() {
      return lastSeenId;
    },
    drift: () => [...drift],
    requestsSent(purpose) {
      const now = requests.counters();
      const sent = (name: Purpose) => now[name].sent - before[name].sent;
      return purpose === undefined ? sent('poll') + sent('reconciliation') : sent(purpose);
    },
    progress: (baseline) =>
      session.onProgress?.({ ...run.report('done', undefined), state: { ...run.state, baseline } }),
    fetch(purpose) {
      const fetchPage = createPageSource({
        requests,
        purpose,
        stamps: () => run.stamps,
        pageLimit,
        observe,
        refusedFrom: (offset) => depth.learn((known) => noteRefused(known, offset)),
        signal,
      });
      return async (request) => {
        const page = await fetchPage(request);
        if (page.rows.length > 0) depth.learn((known) => noteShown(known, request.offset + page.rows.length));
        return keepNewFields(page);
      };
    },
    lookUp: async (groupId) => keepNewFields(await lookUp(groupId)),
    recorder(through, guard = guardReadings(run, through)) {
      const { startedAt, generation, baseline } = run.state;
      const announcedFrom = startedAt - settings.lookbackMs * MILLISECOND;
      const announcesAll = baseline.mode === 'emit' || baseline.status === 'completed';
      const recorder = createRecorder({
        source: settings.name,
        generation,
        store: session.store,
        through,
        memory: session.memory,
        trustsMemory: through === 'poll',
        settle: settings.settleMs * MILLISECOND,
        announces: (reading) => announcesAll || reading.updatedAt >= announcedFrom,
        customerData: settings.customerData,
        guard,
        unknowable(snapshot, reading) {
          const unreadSince = snapshot && unread.get(snapshot.groupId);
          return createUnknowable(run.state, snapshot, reading, unreadSince);
        },
        setAside: (row) => {
          const unreadSince = row.id === undefined ? undefined : unread.get(row.id);
          run.state = noteSetAside(run.state, row, session.serviceClock.now().atMost, unreadSince);
        },
        noteFresh: ({ groupId, updatedAt, receivedAt, isFirstSight }) => {
          // Until all groups are known, one seen for the first time need not have changed just now: in a store where
          // little happens, the first poll shows only groups that are stamped ahead.
          const isKnownToChange = !isFirstSight || run.state.baseline.status === 'completed';
          if (through !== 'poll' || !isKnownToChange) return;
          run.state = {
            ...run.state,
            stamps: learnLead(run.state.stamps, groupId, updatedAt, receivedAt),
          };
        },
      });
      recorders.push(recorder);
      if (through === 'reconciliation') reconcilers.push(recorder);
      return recorder;
    },
    async save() {
      const { version } = run.state;
      const next = { ...run.state, version: version + 1 };
      if ((await states.save(next, version)) === 'conflict') {
        throw new LeaseLost(`Another process took over source ${next.source}.`);
      }
      // Changes made during the save are left to the next one.
      state = { ...(state ?? next), version: next.version };
      if (next.feedReports.length === 0) return;
      const feedSequence = await publishFeedReports(session.ledger, next);
      state = { ...state, feedSequence, feedReports: state.feedReports.slice(next.feedReports.length) };
    },
    report(outcome, error) {
      return {
        source: settings.name,
        outcome,
        polls: run.polls,
        requests: run.requestsSent(),
        rateLimited: rateLimited(),
        counts: sumCounts(recorders),
        foundByReconciliation: sumCounts(reconcilers).events,
        behindMs: outcome === 'done' && state !== undefined ? behindMs(state) : undefined,
        nextCycleInMs: outcome === 'done' && state !== undefined ? nextCycleInMs(state) : undefined,
        failure: error && describeFailure(error),
        error,
        state: outcome === 'done' ? state : undefined,
      };
    },
  };
  return run;
}

function sumCounts(recorders: readonly Recorder[]): RecordCounts {
  const sum: RecordCounts = { groups: 0, firstSeen: 0, events: 0, left: 0, unreadable: 0 };
  for (const { counts } of recorders) {
    for (const name of Object.keys(sum) as (keyof RecordCounts)[]) sum[name] += counts[name];
  }
  return sum;
}
