// The feed as a user runs it: the command `returns-feed watch --json`. It knows the states in the printed events.
import { readEvent } from '../acceptance/printed-event.ts';
import { startWatch } from '../acceptance/watch-process.ts';
import { createKnownStates, GONE, stateOf } from './known-states.ts';
import type { Reader } from './reader.ts';

export interface FeedOptions {
  readonly name: string;
  readonly token: string;
  readonly url: string;
  /** As on the command line, without --base-url, --source and --for. */
  readonly options: Readonly<Record<string, string>>;
  readonly mostMinutes: number;
}

export function startReturnsFeedReader({ name, token, url, options, mostMinutes }: FeedOptions): Reader {
  const watch = startWatch(
    { 'base-url': url, source: 'acceptance', for: `${mostMinutes}m`, ...options },
    [],
    { token },
  );
  let isStopped = false;

  return {
    name,
    token,
    pid: watch.pid,
    get learnt() {
      const known = createKnownStates();
      for (const { line, arrivedAt } of watch.printed) {
        const event = readEvent(line);
        if (typeof event === 'string') throw new Error(`${name} printed a line that is no event: ${event}`);
        const state = event.verb === 'removed' ? GONE : stateOf(event.kind, event.object);
        known.learn(event.subject, state, arrivedAt);
      }
      return known.learnt;
    },
    hasReadAll: () => watch.messages.some((message) => message.includes('baseline complete')),
    failure: () => (watch.hasEnded() && !isStopped ? `watch ended: ${watch.messages.at(-1)}` : undefined),
    async stop() {
      isStopped = true;
      if (!watch.hasEnded()) await watch.end('SIGINT');
    },
  };
}
