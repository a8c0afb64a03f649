// A quick tick: one poll of a source, beside those of many others. It sends one request, at most two, and never retries.
// If nothing is new it writes nothing. Whatever else comes up takes the lease first, or is left to a long tick
// (poll-source.ts): what takes many requests, what failed, and what needs the source for itself.

import { type Instant, MILLISECOND, MINUTE } from './instant.ts';
import { concludeTick } from './lanes/conclude-tick.ts';
import { createLookUpLane } from './lanes/look-ups.ts';
import { createLateLane } from './lanes/poll-lanes.ts';
import { hasSettings, refusalOf } from './lanes/start-tick.ts';
import { createTickRun, type TickRun } from './lanes/tick-run.ts';
import { createWalkLane } from './lanes/walk-lanes.ts';
import { DeadlineReached, isFailure } from './pacing/errors.ts';
import { takeLease } from './pacing/lease.ts';
import { pauseLeftMs, type Requests } from './pacing/requests.ts';
import type { SnapshotStore } from './ports.ts';
import { reportRead } from './reporting/source-read.ts';
import { NOTHING_RECORDED, reportTick, type TickReport } from './reporting/tick-report.ts';
import type { ReturnsServiceClient } from './returns-service/client.ts';
import { RestoredStateError } from './source/restored-state.ts';
import { hasFresh } from './source/rhythms.ts';
import { LeaseLost } from './source/source-cell.ts';
import type { SourceSession } from './source/source-session.ts';
import type { SourceState } from './source/source-state.ts';

export interface QuickTick {
  /** When it was due, in milliseconds since the epoch. */
  readonly slot: number;
  /** How long it may work: a request's timeout, and some time to save. */
  readonly durationMs: number;
}

export interface QuickReport extends Omit<TickReport, 'outcome' | 'state'> {
  /**
   * `quiet`: nothing was new, and nothing was written. `saved`: it took the lease and saved. `long`: a long tick has to
   * go on. The others as for ticks.
   */
  readonly outcome: 'quiet' | 'saved' | 'long' | Exclude<TickReport['outcome'], 'done'>;
  /** Why a long tick has to go on. */
  readonly why: string | undefined;
  /** The moment for which a complete poll stands, in milliseconds since the epoch; undefined without one. */
  readonly quietAt: number | undefined;
}

/** As long as that of a long tick, by which other leases are judged. */
const LEASE = MINUTE;
const MOST_REQUESTS = 2;
/** Within a minute two quick ticks may send theirs. Long ticks leave this part of the budget to them. */
export const QUICK_REQUESTS: number = 2 * MOST_REQUESTS;
/** Longer answers are left to long ticks: many quick ones share a process's memory. */
const MOST_BYTES = 1024 * 1024;
/** With a smaller budget two requests are too large a part of it. */
const LEAST_BUDGET = 60;

/** @throws RestoredStateError; what the stores throw: nothing is lost then */
export async function pollQuickly(tick: QuickTick, session: SourceSession): Promise<QuickReport> {
  session.deadline = session.clock.elapsed() + tick.durationMs * MILLISECOND;
  const before = { ...session.requests.counters };
  let run: TickRun | undefined;
  function report(outcome: QuickReport['outcome'], why?: string, error?: Error): QuickReport {
    const { polls = 0, recorder } = run ?? {};
    const counts = recorder?.counts ?? NOTHING_RECORDED;
    const { state, ...rest } = reportTick(session, 'done', before, {
      polls,
      counts,
      error,
      state: run?.cell.known,
    });
    const readAt = polls > 0 ? state?.position.readAt.late : undefined;
    return { ...rest, outcome, why, quietAt: readAt && Math.floor(readAt / MILLISECOND) };
  }
  const { states, settings, owner, clock } = session;
  const [mintedIn, known] = [await states.identity(), await states.load(settings.name)];
  if (known === undefined) return report('long', 'it has no state yet');
  if (known.mintedIn !== mintedIn) throw new RestoredStateError(settings.name, session.place, known);
  const refusal = refusalOf(known, tick.slot, clock.now());
  if (refusal !== undefined) return report(refusal);
  if (pauseLeftMs(known.pausedUntil, clock.now()) > 0) return report('resting');
  const lease = takeLease(known.lease, owner, clock.now(), LEASE);
  if (lease === undefined) return report('busy');
  if (session.epoch !== known.lease.epoch) session.memory.forgetAll();
  session.epoch = known.lease.epoch;
  session.leaseEnd = lease.expiresAt;

  const quick = quickSession(session, take);
  run = createTickRun(quick, () => {});
  // As if it had the lease, which is written with the first save.
  const taken: SourceState = { ...known, lease, lastSlot: tick.slot };
  run.cell.begin(taken);
  const why = whyLong(run);
  if (why !== undefined) return report('long', why);
  let taking: Promise<void> | undefined;
  function take(): Promise<void> {
    taking ??= run?.cell.save() ?? Promise.resolve();
    return taking;
  }

  const { stop } = run;
  session.signal?.addEventListener('abort', stop, { once: true });
  try {
    const error = await read(run);
    const isRead = error === undefined && run.polls > 0;
    // A pause that the service asks for holds for all processes.
    const isPaused = quick.requests.pausedUntil > Math.max(known.pausedUntil, clock.now());
    const isNew = taking !== undefined || isPaused || (isRead && !isQuiet(taken, run, clock.now()));
    if (isNew) {
      // Appends them, if the process that saved them could not, and so ends them.
      if (hasReports(known)) await take();
      await concludeTick(run, undefined);
      session.epoch = lease.epoch;
    }
    if (isRead || isPaused) return report(isNew ? 'saved' : 'quiet', undefined, error);
    return report('long', error?.message ?? 'a poll takes more requests', error);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    session.memory.forgetAll();
    session.epoch = undefined;
    return report('overtaken');
  } finally {
    session.signal?.removeEventListener('abort', stop);
  }
}

/** Reads one round of polls. @returns the failure that ended it */
async function read(run: TickRun): Promise<Error | undefined> {
  try {
    await createLateLane(run).work();
  } catch (error) {
    if (error instanceof DeadlineReached) return error.cause instanceof Error ? error.cause : run.failure;
    if (isFailure(error)) return error;
    throw error;
  }
  return run.polls > 0 ? undefined : run.failure;
}

/** Why a quick tick is not enough; undefined if it is. */
function whyLong(run: TickRun): string | undefined {
  const { state, session, now } = run;
  const { settings } = session;
  const { baselineAt, position, lanes, holds, health, seenWith } = state;
  if (baselineAt === undefined || position.origin === undefined) return 'its baseline is under way';
  if (!hasSettings(state, settings)) return 'its settings have changed';
  if (settings.requestsPerMinute < LEAST_BUDGET) return `its budget is below ${LEAST_BUDGET}`;
  if (hasFresh(settings, lanes.late.requests)) return 'it is polled more than once a minute';
  if (holds.length > 0) return 'changes are held';
  if (health.degradedSince !== undefined || health.refusals > 0) return 'it is not read completely';
  if (seenWith === undefined) return 'the token has to be proved';
  if (lanes.late.round !== undefined || position.places.length > 0) return 'polls have more to read';
  const others = [createWalkLane(run, 'recent'), createWalkLane(run, 'older'), createLookUpLane(run)];
  const due = others.find((lane) => lane.dueAt() <= now());
  return due && `${due.name} is due`;
}

/** The session with few requests, without retries, and with a store that is written to only with the lease. */
function quickSession(session: SourceSession, take: () => Promise<void>): SourceSession {
  const { store } = session;
  const taking: SnapshotStore = {
    ...store,
    async save(key, save) {
      await take();
      return store.save(key, save);
    },
    async saveAll(source, saves) {
      await take();
      return store.saveAll(source, saves);
    },
  };
  const once = { store: taking, requests: createFewRequests(session) };
  // What the tick notes for later ones stays in the session.
  return Object.assign(Object.create(session) as SourceSession, once);
}

function createFewRequests(session: SourceSession): Requests {
  const { requests } = session;
  let left = MOST_REQUESTS;
  const send: Requests['send'] = async (turn, request, options) => {
    if (left === 0) throw new DeadlineReached('A quick tick sends no more requests.');
    left -= 1;
    const once = (client: ReturnsServiceClient) =>
      request({
        listReturnGroups: (query, how) => client.listReturnGroups(query, { ...how, maxBytes: MOST_BYTES }),
      }).catch((error: unknown) => {
        // Nothing waits for another try.
        session.deadline = session.clock.elapsed();
        throw error;
      });
    return await requests.send(turn, once, { ...options, tries: 1 });
  };
  return Object.assign(Object.create(requests) as Requests, { send });
}

function hasReports({ feedReports, readReportAt }: SourceState): boolean {
  return feedReports.length > 0 || readReportAt !== undefined;
}

/** Whether a poll changed nothing but what each poll changes: times, and what it learned of the length of answers. */
function isQuiet(before: SourceState, { state, drift, session }: TickRun, now: Instant): boolean {
  const isDue = reportRead(state, now, session.settings.sourceRead) !== state;
  const isNewDrift = [...drift].some((finding) => !state.driftReported.includes(finding));
  if (isDue || isNewDrift || hasReports(before)) return false;
  return JSON.stringify(lastingOf(before)) === JSON.stringify(lastingOf(state));
}

function lastingOf(state: SourceState) {
  const { lanes, position, room, fieldsShown, ...rest } = state;
  const shown = Object.entries(fieldsShown).map(([field, times]) => [field, Object.keys(times).sort()]);
  const { newestAt, readAt, ...place } = position;
  return { ...rest, recent: lanes.recent, older: lanes.older, shown: shown.sort(), place };
}
