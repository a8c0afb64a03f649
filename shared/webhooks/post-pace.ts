// The pace of a webhook with a maximum rate, without a state that its senders share: at most C senders run at once, and
// each stays for C / R seconds after it began a post. So together they begin at most R posts a second, and C at once
// after a rest.
import { MILLISECOND } from '../instant.ts';
import type { Clock } from '../ports.ts';
import type { Post } from './webhook-ports.ts';

export interface PostPace {
  readonly post: Post;
  /** Resolves when the pause since the last post began is over. Wait for it before the next post, and at the end. */
  untilNext(): Promise<void>;
  /** How long a last wait, the attempt after it and the pause that begins with it take at most. */
  endingMs(attemptMs: number): number;
}

export function createPostPace(post: Post, pauseMs: number, clock: Clock): PostPace {
  let nextAt = 0;
  return {
    post(request, signal) {
      nextAt = clock.elapsed() + pauseMs * MILLISECOND;
      return post(request, signal);
    },
    async untilNext() {
      const leftMs = Math.ceil((nextAt - clock.elapsed()) / MILLISECOND);
      if (leftMs > 0) await clock.sleep(leftMs);
    },
    endingMs: (attemptMs) => pauseMs + Math.max(attemptMs, pauseMs),
  };
}
