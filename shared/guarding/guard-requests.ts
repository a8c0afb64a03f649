import type { PacedRequests } from '../pacing/paced-requests.ts';
import { SourceHeld } from './source-held.ts';

/** Times that an answer is asked for again because the token was exchanged in the meantime. */
const MAX_TRIES = 3;

export interface TokenGuard {
  /** Whether the source was last seen to be itself with this token. */
  isTrusted(accessHash: string): boolean;
  /** Makes sure of it. @throws SourceHeld */
  prove(accessHash: string): Promise<void>;
}

/** Requests whose answers nobody sees before the source was seen to be itself with the token that they were asked with. */
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
      throw new SourceHeld('The token is being exchanged again and again.');
    },
  };
}
