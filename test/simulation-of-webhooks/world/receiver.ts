// A receiver of webhooks: healthy, or with the outages of its plan. It keeps each attempt unchanged.
import type { Random } from '../../../local/reference-service/store/seeded-random.ts';
import { parseMessageId } from '../../../shared/contract/event-id.ts';
import { type Instant, MILLISECOND } from '../../../shared/instant.ts';
import type { Answer, PostRequest } from '../../../shared/webhooks/webhook-ports.ts';
import type { VirtualClock } from '../../fakes/virtual-clock.ts';
import type { Attempt } from '../checker/evidence.ts';
import type { Outage } from '../plan.ts';

/** The time limit of an attempt. */
export const ATTEMPT_MS = 15_000;
/** As the sender in AWS. */
export const HANGS_AFTER_MS = 1_000;

export type Writable<Of> = { -readonly [Name in keyof Of]: Of[Name] };

export interface Receiver {
  /** Answers an attempt, and completes its record. It goes on with an attempt that the signal has ended. */
  answer(request: PostRequest, attempt: Writable<Attempt>, signal?: AbortSignal): Promise<Answer>;
}

export interface ReceiverOptions {
  readonly outages: readonly Outage[];
  readonly time: VirtualClock;
  readonly random: Random;
  /** The moment at which the plan begins. */
  readonly start: Instant;
}

export function createReceiver({ outages, time, random, start }: ReceiverOptions): Receiver {
  function outageOf(id: string): Outage | undefined {
    const atMs = (time.now() - start) / MILLISECOND;
    const { group = 0, sequence = 0 } = parseMessageId(id) ?? {};
    return outages.find(({ fromMs, toMs = Number.POSITIVE_INFINITY, every, share }) => {
      if (atMs < fromMs || atMs >= toMs) return false;
      if (every !== undefined && Number(every.of === 'return' ? group : sequence) % every.n !== 0)
        return false;
      return share === 1 || random.chance(share);
    });
  }

  async function after(durationMs: number, attempt: Writable<Attempt>, isAccepted: boolean): Promise<void> {
    await time.sleep(durationMs / 2);
    if (isAccepted) attempt.acceptedAt = time.now();
    await time.sleep(durationMs / 2);
    attempt.endedAt = time.now();
  }

  return {
    async answer(request, attempt, signal) {
      const began = time.now();
      const received: Writable<Attempt> = { ...attempt };
      const answering = handle(request, received);
      const ended = new Promise<undefined>((resolve) =>
        signal?.addEventListener('abort', () => resolve(undefined)),
      );
      const answer = await Promise.race([answering, ended]);
      if (answer !== undefined) {
        Object.assign(attempt, received);
        return answer;
      }
      Object.assign(attempt, { failure: 'timeout', endedAt: time.now() });
      void answering.then(() => {
        attempt.acceptedAt = received.acceptedAt;
      });
      return { failure: 'timeout', requestMs: (time.now() - began) / MILLISECOND };
    },
  };

  async function handle({ id }: PostRequest, attempt: Writable<Attempt>): Promise<Answer> {
    const outage = outageOf(id);
    const isAcceptedAnyway = outage !== undefined && random.chance(outage.acceptedAnyway);
    const failed = async (requestMs: number, failure: string): Promise<Answer> => {
      await after(requestMs, attempt, isAcceptedAnyway);
      attempt.failure = failure;
      return { failure, requestMs };
    };
    switch (outage?.kind) {
      case 'hang':
        return failed(ATTEMPT_MS, 'timeout');
      case 'reset':
        return failed(40, 'ECONNRESET');
      case 'refused connection':
        await after(2, attempt, false);
        attempt.failure = 'ECONNREFUSED';
        return { failure: 'ECONNREFUSED', requestMs: 2 };
      case 'status': {
        const { status = 500, retryAfter } = outage;
        await after(20, attempt, isAcceptedAnyway);
        attempt.status = status;
        attempt.retryAfter = headerOf(retryAfter, time.now());
        return { status, retryAfter: attempt.retryAfter, requestMs: 20 };
      }
      default: {
        const requestMs = outage === undefined ? 10 : 500 + random.below(12_000);
        await after(requestMs, attempt, true);
        attempt.status = 200 + random.below(5);
        return { status: attempt.status, retryAfter: undefined, requestMs };
      }
    }
  }
}

/** A plan has dates as seconds after the answer. */
function headerOf(retryAfter: string | undefined, now: Instant): string | undefined {
  const match = /^(?:\+(\d+)|-(\d+) ago)$/.exec(retryAfter ?? '');
  if (match === null) return retryAfter;
  const seconds = match[1] === undefined ? -Number(match[2]) : Number(match[1]);
  return new Date(now / MILLISECOND + seconds * 1_000).toUTCString();
}
