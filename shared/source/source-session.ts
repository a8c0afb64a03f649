// What a warm process keeps of a source between ticks. All of it can be lost at any moment: it only saves requests
// and reads.
import { createMemory, type Memory } from '../comparing/memory.ts';
import type { SourceSecret } from '../pacing/access.ts';
import { createPace, type Pace } from '../pacing/pace.ts';
import type { PacedRequests } from '../pacing/paced-requests.ts';
import { createServiceClock, type ServiceClock } from '../pacing/service-clock.ts';
import type { Activities, Budgets, Clock, Ledger, Log, SnapshotStore, SourceStates } from '../ports.ts';
import { createExpectation, type Expectation } from '../reading/expectation.ts';
import { type ActivityKeeper, createActivityKeeper } from '../reporting/activity-keeper.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import type { TickReport } from '../tick/tick-report.ts';
import { createSourceRequests } from './source-requests.ts';
import type { SourceSettings } from './source-settings.ts';

export interface SourceServices {
  readonly settings: SourceSettings;
  readonly states: SourceStates;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  readonly budgets: Budgets;
  readonly activities: Activities;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly client: (token: string) => ReturnsServiceClient;
  readonly secret: SourceSecret;
  /** A one-way hash. Budgets are kept by that of the token, sources are recognized by that of address and token. */
  readonly hashToken: (token: string) => string;
  /**
   * The options of `returns-feed` that name the place of the states, for instance ` --stack ReturnsFeed`, in commands to
   * copy; undefined where no state is kept.
   */
  readonly place: string | undefined;
  /** Identifies this process. */
  readonly owner: string;
  /** Called during long work. */
  readonly onProgress?: ((report: TickReport) => void) | undefined;
  /** Ends work under way as soon as possible. */
  readonly signal?: AbortSignal | undefined;
}

export interface SourceSession extends SourceServices {
  readonly memory: Memory;
  readonly serviceClock: ServiceClock;
  readonly requests: PacedRequests;
  /** What the source does, for people who watch: `store` and `ledger` note their saves in it. */
  readonly activity: ActivityKeeper;
  /** How fast requests are completed, by purpose. */
  readonly paces: { readonly poll: Pace; readonly walk: Pace };
  /** By the elapsed clock; set by each tick. */
  deadline: number;
  /** The lease's epoch when the memory was last valid. */
  epoch: number | undefined;
  /** Whether this process has received an answer from the service. */
  hasAnswers: boolean;
  readonly expectation: Expectation;
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
      const { poll, reconciliation } = session.requests.counters();
      return poll.sent + reconciliation.sent;
    },
  });
  const session: SourceSession = {
    ...services,
    store: activity.noteSaves(services.store),
    ledger: activity.noteAppends(services.ledger),
    activity,
    memory: createMemory(),
    serviceClock,
    requests: createSourceRequests({ ...services, serviceClock, deadline: () => session.deadline }),
    paces: { poll: createPace(settings.requestsPerMinute), walk: createPace(settings.requestsPerMinute) },
    deadline: 0,
    epoch: undefined,
    hasAnswers: false,
    expectation: createExpectation(),
    overrunLogged: false,
  };
  return session;
}
