// Asks the service for operators, in the poller or on one machine. It shares only the token's budget with ticks: it has
// its own sessions, and saves no state.
import { askForGroup, type PresentAnswer } from '../../shared/finding/ask-for-group.ts';
import { ASKING_MS, type Asking, beginAsking, NotAskedError } from '../../shared/finding/asking.ts';
import { type FoundGroups, findGroups, type TextFilter } from '../../shared/finding/find-groups.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { PacedRequests } from '../../shared/pacing/paced-requests.ts';
import { createServiceClock, type ServiceClock } from '../../shared/pacing/service-clock.ts';
import { createSourceRequests } from '../../shared/source/source-requests.ts';
import { createDynamoDbBudgets } from '../adapters/dynamodb-budgets.ts';
import { createDynamoDbSourceStates } from '../adapters/dynamodb-source-states.ts';
import { hashToken } from '../adapters/token-hash.ts';
import {
  type ConfiguredSource,
  clientsOf,
  createSourceSessions,
  type SourceAccess,
} from './source-sessions.ts';

/** Every method throws NotAskedError with the reason, or what requests throw. */
export interface Finder {
  /** The groups that have a tracking number or an order name. */
  find(source: string, filter: TextFilter): Promise<FoundGroups>;
  /** A group as the service shows it now. */
  ask(source: string, returnGroupId: number): Promise<AnswerWithSettle>;
}

export type AnswerWithSettle = PresentAnswer & {
  /** How long the source's reads may be stale. */
  readonly settleMs: number;
};

interface FindingSession {
  readonly requests: PacedRequests;
  readonly serviceClock: ServiceClock;
  /** By the elapsed clock. */
  deadline: number;
}

export function createFinder(options: SourceAccess): Finder {
  const { clock, signal } = options;
  const states = createDynamoDbSourceStates(options);
  const sessionOf = createSourceSessions((source) => openSession(options, source));

  async function begin(
    name: string,
  ): Promise<{ readonly asking: Asking; readonly source: ConfiguredSource }> {
    const source = await options.findSource(name);
    if (source === undefined) throw new NotAskedError(`There is no source "${name}".`);
    const session = sessionOf(source);
    session.deadline = clock.elapsed() + ASKING_MS * MILLISECOND;
    const { requests, serviceClock } = session;
    const state = await states.load(name);
    const now = serviceClock.now().atLeast;
    return { asking: beginAsking({ source: name, state, requests, now, signal }), source };
  }

  return {
    async find(name, filter) {
      const { asking } = await begin(name);
      return findGroups(asking, filter);
    },
    async ask(name, returnGroupId) {
      const { asking, source } = await begin(name);
      return { ...(await askForGroup(asking, returnGroupId)), settleMs: source.settings.settleMs };
    },
  };
}

function openSession(options: SourceAccess, source: ConfiguredSource): FindingSession {
  const { settings, secret } = source;
  const { clock, log, transport, signal } = options;
  const serviceClock = createServiceClock(clock);
  const session: FindingSession = {
    serviceClock,
    deadline: 0,
    requests: createSourceRequests({
      settings,
      secret,
      clock,
      log,
      serviceClock,
      hashToken,
      signal,
      budgets: createDynamoDbBudgets(options),
      random: Math.random,
      client: clientsOf(source, transport),
      deadline: () => session.deadline,
    }),
  };
  return session;
}
