// The requests to one source: with its token, within that token's budget, at its address.
import type { SourceSecret } from '../pacing/access.ts';
import { createBudget, type Meanwhile } from '../pacing/budget.ts';
import { createPacedRequests, type PacedRequests } from '../pacing/paced-requests.ts';
import type { ServiceClock } from '../pacing/service-clock.ts';
import type { Budgets, Clock, Log } from '../ports.ts';
import { parseBaseUrl } from '../returns-service/base-url.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import type { SourceSettings } from './source-settings.ts';

export interface SourceRequestsOptions {
  readonly settings: Pick<SourceSettings, 'baseUrl' | 'requestsPerMinute'>;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly client: (token: string) => ReturnsServiceClient;
  readonly secret: SourceSecret;
  /** A one-way hash. Budgets are kept by that of the token, sources are recognized by that of address and token. */
  readonly hashToken: (token: string) => string;
  readonly serviceClock: ServiceClock;
  /** By {@link Clock.elapsed}: nothing is sent after this moment. */
  readonly deadline: () => number;
  /** Work that may come due while a request of reconciliation waits for its slot. */
  readonly meanwhile?: () => Meanwhile | undefined;
  /** Ends all waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export function createSourceRequests(options: SourceRequestsOptions): PacedRequests {
  const { settings, budgets, clock, log, random, client, secret, hashToken, serviceClock } = options;
  return createPacedRequests({
    client,
    secret,
    budget: (token) =>
      createBudget({
        budgets,
        clock,
        random,
        tokenHash: hashToken(token),
        requestsPerMinute: settings.requestsPerMinute,
      }),
    hashAccess: (token) => hashToken(`${parseBaseUrl(settings.baseUrl)} ${token}`),
    serviceClock,
    clock,
    log,
    random,
    deadline: options.deadline,
    ...(options.meanwhile && { meanwhile: options.meanwhile }),
    ...(options.signal && { signal: options.signal }),
  });
}
