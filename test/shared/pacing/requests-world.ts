// Requests to a service with scripted answers, on a virtual clock.
import { HOUR, type Instant, MILLISECOND } from '../../../shared/instant.ts';
import { createRequests, type RequestsOptions, type SendOptions } from '../../../shared/pacing/requests.ts';
import type { LogFields } from '../../../shared/ports.ts';
import type { ReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import {
  RateLimitedError,
  TokenRefusedError,
  UnexpectedStatusError,
} from '../../../shared/returns-service/errors.ts';
import type { LaneName } from '../../../shared/source/source-state.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

type Answer = Awaited<ReturnType<ReturnsServiceClient['listReturnGroups']>>;

export interface Setting extends Partial<Omit<RequestsOptions, 'clock'>> {
  /** The service's answers in order; the last one repeats. */
  readonly answers?: readonly (Answer | Error)[];
  /** The contents of the secret, read by read; the last one repeats. */
  readonly secrets?: readonly (string | Error)[];
  readonly durationMs?: number;
}

export function setUp(setting: Setting = {}) {
  const { answers = [page()], secrets = ['first'], durationMs = 100 } = setting;
  const clock = createVirtualClock();
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
  const requests = createRequests({
    client: (token) => ({
      async listReturnGroups() {
        const answer = answers[Math.min(sent.length, answers.length - 1)] ?? page();
        sent.push({ token, atMs: clock.elapsed() / MILLISECOND });
        await clock.sleep(durationMs);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    }),
    hashAccess: (token) => `access of ${token}`,
    secret: {
      async read() {
        const secret = secrets[Math.min(reads.length, secrets.length - 1)] ?? '';
        reads.push(String(secret));
        if (secret instanceof Error) throw secret;
        return secret;
      },
    },
    clock,
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    random: () => 0.5,
    deadline: () => HOUR,
    requestsPerMinute: 240,
    ...setting,
  });
  const list = (client: ReturnsServiceClient) => client.listReturnGroups({});
  return {
    ...{ clock, sent, reads, lines, requests },
    send: (lane: LaneName, options?: SendOptions) => requests.send({ lane, order: 'first' }, list, options),
    poll: (options?: SendOptions) =>
      clock.run(requests.send({ lane: 'late', order: 'first' }, list, options)),
  };
}

export function page(date?: Instant): Answer {
  return {
    rows: [],
    drift: [],
    bytes: 2,
    largestRow: 0,
    requestMs: 1,
    ...(date === undefined ? {} : { date }),
  };
}

export const serverError = (retryAfterMs?: number) =>
  new UnexpectedStatusError('503', { status: 503, retryAfterMs });
export const rateLimited = (retryAfterMs?: number) => new RateLimitedError('429', { retryAfterMs });
export const refused = () => new TokenRefusedError('401', { status: 401 });
