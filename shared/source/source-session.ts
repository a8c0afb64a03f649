// The data that a warm process keeps of a source between ticks. It may be lost at any moment: it only saves requests
// and reads.
import { createMemory, type Memory } from '../comparing/memory.ts';
import type { Instant } from '../instant.ts';
import type { Meanwhile } from '../pacing/budget.ts';
import { createPace, type Pace } from '../pacing/pace.ts';
import type { PacedRequests } from '../pacing/paced-requests.ts';
import { createServiceClock, type ServiceClock } from '../pacing/service-clock.ts';
import type { Activities, Ledger, SnapshotStore, SourceStates } from '../ports.ts';
import { createExpectation, type Expectation } from '../reading/expectation.ts';
import { createNewsMemory, type NewsMemory } from '../reading/news.ts';
import type { Interval } from '../reading/page.ts';
import { type ActivityKeeper, createActivityKeeper } from '../reporting/activity-keeper.ts';
import type { TickReport } from '../tick/tick-report.ts';
import { createSourceRequests, type SourceRequestsOptions } from './source-requests.ts';
import type { SourceSettings } from './source-settings.ts';

/** The needs of the requests, and those of the ticks. */
export interface SourceServices
  extends Omit<SourceRequestsOptions, 'settings' | 'serviceClock' | 'deadline' | 'meanwhile' | 'signal'> {
  readonly settings: SourceSettings;
  readonly states: SourceStates;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly activities: Activities;
  /**
   * The options of `returns-feed` that name the place of the states, for instance ` --stack ReturnsFeed`, in commands
   * to copy; undefined where no state is kept.
   */
  readonly place: string | undefined;
  /** Identifies this process. */
  readonly owner: string;
  /** Called during long work. */
  readonly onProgress?: ((report: TickReport) => void) | undefined;
  /** Ends work under way as soon as possible. */
  readonly signal?: AbortSignal | undefined;
}

/** How the service's list turned out to be read best. */
export interface ListShape {
  /** Whether the last walk, or the one under way, read the list in two different orders: then it is read in pieces. */
  isUnordered: boolean;
  /** Whether the walk under way saw that. */
  hasLostOrder: boolean;
  /** The most rows that the service sends in a page, if fewer than requested; undefined until a page showed that. */
  fullPage: number | undefined;
  /** The sweep of each part that is under way, or was the last. */
  readonly sweeps: Partial<Record<SweptPart, Sweep>>;
}

export interface Polling {
  /** Requests that the last poll by update took. */
  readonly requests: number;
  /** When a poll by update ended or a walk settled, by the elapsed clock; then polls may be walks for some time. */
  readonly settledAt: number;
}

/** The groups of a sweep, by creation; `recent` and `older` where a walk over all does not fit a cycle. */
export type SweptPart = 'all' | 'recent' | 'older';

export interface Sweep {
  /** The pieces that are still to be read. */
  readonly left: readonly Interval[];
  /** Rows of a full page, when the pieces were cut. */
  readonly pageRows: number;
  readonly startedAt: Instant;
  /**
   * When its groups were last read: the start of the sweep before or, for a process's first sweep, of the last walk.
   */
  readonly since: Instant;
  /** The same, without the sweeps and walks that published nothing because of a hold. */
  readonly unheldSince: Instant;
  /** Whether changes without a newer stamp were held as it began: then it publishes none of them. */
  readonly isHeld: boolean;
}

export interface SourceSession extends SourceServices {
  readonly memory: Memory;
  readonly serviceClock: ServiceClock;
  readonly requests: PacedRequests;
  /** The source's activity, for the console: `store` and `ledger` record their saves in it. */
  readonly activity: ActivityKeeper;
  /** How fast requests are completed, by purpose. */
  readonly paces: { readonly poll: Pace; readonly walk: Pace };
  /** By the elapsed clock; set by each tick. */
  deadline: number;
  /** The polls of a tick that walks, which come due while a walk's request waits. */
  polls: Meanwhile | undefined;
  /** The lease's epoch when the memory was last valid. */
  epoch: number | undefined;
  /** Whether this process has received an answer from the service. */
  hasAnswers: boolean;
  readonly expectation: Expectation;
  readonly news: NewsMemory;
  readonly list: ListShape;
  polling: Polling;
  /** Whether the warning of a reconciliation cycle that took too long was logged. */
  overrunLogged: boolean;
}

export function createSourceSession(services: SourceServices): SourceSession {
  const { clock, log, settings } = services;
  const serviceClock = createServiceClock(clock);
  const activity = createActivityKeeper({
    ...{ source: settings.name, activities: services.activities, clock, log },
    now: () => serviceClock.now().atMost,
    requestsSent: () => {
      const counters = Object.values(session.requests.counters());
      return counters.reduce((sum, { sent }) => sum + sent, 0);
    },
  });
  const session: SourceSession = {
    ...services,
    store: activity.noteSaves(services.store),
    ledger: activity.noteAppends(services.ledger),
    activity,
    memory: createMemory(),
    serviceClock,
    requests: createSourceRequests({
      ...{ ...services, serviceClock },
      deadline: () => session.deadline,
      meanwhile: () => session.polls,
    }),
    paces: { poll: createPace(settings.requestsPerMinute), walk: createPace(settings.requestsPerMinute) },
    deadline: 0,
    polls: undefined,
    epoch: undefined,
    hasAnswers: false,
    expectation: createExpectation(),
    list: { isUnordered: false, hasLostOrder: false, fullPage: undefined, sweeps: {} },
    polling: { requests: 0, settledAt: 0 },
    news: createNewsMemory(),
    overrunLogged: false,
  };
  return session;
}
