import type { PacedRequests } from '../pacing/paced-requests.ts';
import { SourceHeld } from './source-held.ts';

/** Times that a request is sent while the token is being replaced. */
const MAX_TRIES = 3;

export interface TokenGuard {
  /**
   * Whether answers to this address and token may be used: they were the last that were proved to show the source, an
   * operator released them, or no group was known to prove it by.
   */
  isTrusted(accessHash: string): boolean;
  /**
   * Looks up known groups with the secret's present token, and trusts that token if one is found, or if none is known.
   * It may be another one than this hash stands for, so ask {@link isTrusted} again.
   *
   * @throws SourceHeld, UnreadableAnswerError, and what requests throw
   */
  prove(accessHash: string): Promise<void>;
}

/** Returns an answer only once the address and token that it was requested with are trusted. */
export function guardRequests(requests: PacedRequests, guard: TokenGuard): PacedRequests {
  return {
    counters: requests.counters,
    async send(purpose, request, options) {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const sent = await requests.send(purpose, request, options);
        if (guard.isTrusted(sent.accessHash)) return sent;
        await guard.prove(sent.accessHash);
        if (guard.isTrusted(sent.accessHash)) return sent;
      }
      throw new SourceHeld('The token keeps changing; the next tick tries again.');
    },
  };
}
