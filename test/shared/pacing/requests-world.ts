// Paced requests to a service with scripted answers, on a virtual clock.
import { DAY, HOUR, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import { createBudget } from '../../../shared/pacing/budget.ts';
import { createPacedRequests, type PacedRequestsOptions } from '../../../shared/pacing/paced-requests.ts';
import { createServiceClock } from '../../../shared/pacing/service-clock.ts';
import type { Log, LogFields } from '../../../shared/ports.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import {
  RateLimitedError,
  TokenRefusedError,
  UnexpectedStatusError,
} from '../../../shared/returns-service/errors.ts';
import { createVirtualClock, VIRTUAL_START, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { createBudgetStore } from './budget-world.ts';

type ReturnGroupsPage = Awaited<ReturnType<ReturnsServiceClient['listReturnGroups']>>;

/** The service's clock is a day ahead of all others. */
export const SERVICE_START: Instant = VIRTUAL_START + DAY;

export interface Setting extends Partial<Omit<PacedRequestsOptions, 'clock'>> {
  readonly clock?: VirtualClock;
  /** The service's answers in order; the last one repeats. */
  readonly answers?: readonly (ReturnGroupsPage | Error)[];
  /** The contents of the secret, read by read; the last one repeats. */
  readonly secrets?: readonly (string | Error)[];
  readonly durationMs?: number;
  readonly requestsPerMinute?: number;
}

export function setUp(setting: Setting = {}) {
  const { answers = [page()], secrets = ['first'], durationMs = 100, requestsPerMinute = 240 } = setting;
  const clock = setting.clock ?? createVirtualClock();
  const store = createBudgetStore(clock);
  const sent: { readonly token: string; readonly atMs: number }[] = [];
  const reads: string[] = [];
  const lines: {
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields | undefined;
  }[] = [];
  const line = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields });
  };
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };

  const clientOf = (token: string): ReturnsServiceClient => ({
    async listReturnGroups() {
      const answer = answers[Math.min(sent.length, answers.length - 1)]!;
      sent.push({ token, atMs: clock.elapsed() / MILLISECOND });
      await clock.sleep(durationMs);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const budgets = new Map<string, number>();
  const requests = createPacedRequests({
    client: clientOf,
    budget: (token) => {
      budgets.set(token, (budgets.get(token) ?? 0) + 1);
      const tokenHash = `hash of ${token}`;
      return createBudget({
        budgets: store.seenBy(clock),
        clock,
        random: () => 0.5,
        tokenHash,
        requestsPerMinute,
      });
    },
    hashAccess: (token) => `access of ${token}`,
    secret: {
      async read() {
        const secret = secrets[Math.min(reads.length, secrets.length - 1)]!;
        reads.push(String(secret));
        if (secret instanceof Error) throw secret;
        return secret;
      },
    },
    // These tests do not doubt the first Dates.
    serviceClock: { ...createServiceClock(clock), isDoubtful: () => false },
    clock,
    log,
    random: () => 0.5,
    deadline: () => HOUR,
    ...setting,
  });
  const list = (client: ReturnsServiceClient) => client.listReturnGroups({});
  const poll = () => clock.run(requests.send('poll', list));
  return { clock, store, sent, reads, lines, requests, list, poll, budgets };
}

export function page(date: Instant | undefined = undefined): ReturnGroupsPage {
  return { rows: [], drift: [], bytes: 2, requestMs: 1, ...(date === undefined ? {} : { date }) };
}

export const serverError = () =>
  new UnexpectedStatusError('500', { status: 500, retryAfterMs: undefined, date: SERVICE_START });
export const rateLimited = (retryAfterMs?: number) => new RateLimitedError('429', { retryAfterMs });
export const refused = () => new TokenRefusedError('401', { status: 401 });
