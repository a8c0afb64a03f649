// The data that a warm process keeps of a source between ticks. It may be lost at any moment: it only saves requests
// and reads.
import { createMemory, type Memory } from '../comparing/memory.ts';
import type { Instant } from '../instant.ts';
import type { Requests } from '../pacing/requests.ts';
import type { Ledger, SnapshotStore, SourceStates } from '../ports.ts';
import { createNotFoundMemory, type NotFoundMemory } from '../reading/not-found.ts';
import type { Range } from '../reading/range.ts';
import type { TickReport } from '../reporting/tick-report.ts';
import { createSourceRequests, type SourceRequestsOptions } from './source-requests.ts';
import type { SourceSettings } from './source-settings.ts';

/** The needs of the requests, and those of the ticks. */
export interface SourceServices
  extends Omit<SourceRequestsOptions, 'settings' | 'deadline' | 'requestsPerMinute'> {
  readonly settings: SourceSettings;
  readonly states: SourceStates;
  readonly store: SnapshotStore;
  readonly ledger: Ledger;
  /**
   * The options of `returns-feed` that name the place of the states, for instance ` --stack ReturnsFeed`, in commands
   * to copy; undefined where no state is kept.
   */
  readonly place: string | undefined;
  /** Identifies this process. */
  readonly owner: string;
  /** How many groups the process may remember of this source. @default all that one source needs */
  readonly mostRemembered?: (() => number) | undefined;
  /** Requests a minute that quick ticks of all processes may send beside this one's. @default 0 */
  readonly quickRequests?: number | undefined;
  /** Where in a rhythm its polls lie, from 0 to 1. @default 0, as those of a schedule */
  readonly spread?: number | undefined;
  /** Called during long work. */
  readonly onProgress?: ((report: TickReport) => void) | undefined;
}

/** What a process remembers of its last round of `fresh`; it is not kept over processes. */
export interface FreshMemory {
  dueAt: Instant;
  /** The newest stamp of the first page of its last round. */
  newest: Instant | undefined;
  /** Ranges that its rounds have not read yet. */
  left: readonly Range[];
  cuts: readonly Instant[];
}

/** How far the search for the origin has come: up to where it has found nothing, and how wide it asks next. */
export interface OriginSearch {
  readonly to: Instant;
  readonly width: number;
  /** The end of the newest interval that fails: the stamp of a row in it may be the newest. */
  readonly failing: Instant | undefined;
}

/** Known groups that look-ups with one token did not find, since one was last found. */
export interface InVain {
  readonly accessHash: string | undefined;
  readonly groupIds: ReadonlySet<number>;
}

export const NONE_IN_VAIN: InVain = { accessHash: undefined, groupIds: new Set() };

/** Groups that pages by offset have shown in one pass, those of them that were recorded, and those of the pass before. */
export interface PassByOffset {
  readonly shown: Set<number>;
  readonly recorded: Set<number>;
  readonly before?: ReadonlySet<number>;
}

export interface SourceSession extends SourceServices {
  readonly memory: Memory;
  readonly requests: Requests;
  readonly fresh: FreshMemory;
  /** Undefined before the search, and in a process that did not begin it. */
  search: OriginSearch | undefined;
  vain: InVain;
  /** By lane and range: a pass may take longer than a tick. */
  readonly passes: Map<string, PassByOffset>;
  readonly notFound: NotFoundMemory;
  /** By the elapsed clock; set by each tick. */
  deadline: number;
  /** By the local clock: after it another process may send requests. */
  leaseEnd: Instant;
  /** The lease's epoch when the memory was last valid. */
  epoch: number | undefined;
}

/** The share of the budget that lanes leave to operators' searches. */
const SEARCH_SHARE = 0.05;

/** The budget of ticks, and that of searches, which run one at a time: together the source's budget. */
export function budgetsOf({ requestsPerMinute }: Pick<SourceSettings, 'requestsPerMinute'>) {
  const searches = Math.ceil(requestsPerMinute * SEARCH_SHARE);
  return { ticks: Math.max(1, requestsPerMinute - searches), searches };
}

export function createSourceSession(services: SourceServices): SourceSession {
  const { settings, clock } = services;
  const session: SourceSession = {
    ...services,
    memory: createMemory(services.mostRemembered),
    requests: createSourceRequests({
      ...services,
      requestsPerMinute: budgetsOf(settings).ticks - (services.quickRequests ?? 0),
      // A machine that was suspended may not have counted that time.
      deadline: () => Math.min(session.deadline, clock.elapsed() + session.leaseEnd - clock.now()),
    }),
    fresh: { dueAt: 0, newest: undefined, left: [], cuts: [] },
    search: undefined,
    vain: NONE_IN_VAIN,
    passes: new Map(),
    notFound: createNotFoundMemory(),
    deadline: 0,
    leaseEnd: 0,
    epoch: undefined,
  };
  return session;
}
