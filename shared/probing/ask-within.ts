// Sends the requests of a probe one after the other, with a pause between them, up to a maximum number.
import type { Instant } from '../instant.ts';
import { MILLISECOND } from '../instant.ts';
import type { Clock } from '../ports.ts';
import type { ReturnsServiceClient } from '../returns-service/client.ts';
import { ValidationRejectedError } from '../returns-service/errors.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { ReturnGroupsQuery } from '../returns-service/return-groups-query.ts';

export interface ProbeAnswer {
  readonly rows: readonly RowReading[];
  readonly bytes: number;
  readonly requestMs: number;
  /** The answer's Date, if it had one. */
  readonly date: Instant | undefined;
  /** By the local clock. */
  readonly receivedAt: Instant;
}

export interface Asking {
  /** @returns `refused` for a 422. @throws BudgetSpent, ReturnsServiceError */
  ask(query: ReturnGroupsQuery): Promise<ProbeAnswer | 'refused'>;
  readonly answers: readonly ProbeAnswer[];
  /** Names of values and fields that are not in the service's document. */
  readonly drift: ReadonlySet<string>;
  readonly requests: number;
}

/** Thrown when a question would exceed the maximum number of requests. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

export interface AskingOptions {
  readonly client: ReturnsServiceClient;
  readonly clock: Clock;
  readonly mostRequests: number;
  readonly pauseMs: number;
}

export function askWithin({ client, clock, mostRequests, pauseMs }: AskingOptions): Asking {
  const answers: ProbeAnswer[] = [];
  const drift = new Set<string>();
  let requests = 0;
  let earliest = clock.elapsed();
  return {
    answers,
    drift,
    get requests() {
      return requests;
    },
    async ask(query) {
      if (requests >= mostRequests) throw new BudgetSpent('No request is left.');
      const early = earliest - clock.elapsed();
      if (early > 0) await clock.sleep(early / MILLISECOND);
      earliest = clock.elapsed() + pauseMs * MILLISECOND;
      requests += 1;
      try {
        const page = await client.listReturnGroups(query);
        for (const finding of page.drift) drift.add(finding);
        const { rows, bytes, requestMs, date } = page;
        const answer = { rows, bytes, requestMs, date, receivedAt: clock.now() };
        answers.push(answer);
        return answer;
      } catch (error) {
        if (error instanceof ValidationRejectedError) return 'refused';
        throw error;
      }
    },
  };
}
