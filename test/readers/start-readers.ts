import { createKnownStates } from './known-states.ts';
import { createPacedClient, type ReaderClock } from './paced-client.ts';
import { type Reader, startPolling } from './reader.ts';
import { startReturnsFeedReader } from './returns-feed-reader.ts';
import { createUsualPoller, type PollerOptions, WHOLE_LIST } from './usual-poller.ts';

/** The service and the pace with which a reader starts. */
export interface Place {
  readonly url: string;
  readonly everyMs: number;
  readonly perMinute: number;
  readonly clock: ReaderClock;
  readonly mostMinutes: number;
}

export interface ReaderKind {
  readonly name: string;
  readonly about: string;
  /** Measured only if it is named, because two feeds at a time would compete for processor time. */
  readonly isExtra?: boolean;
  readonly start: (place: Place) => Reader;
}

const DAY_MS = 86_400_000;
const LOOKBACK_MS = 30_000;

export const READERS: readonly ReaderKind[] = [
  polling('poller', 'usual poller', { lookbackMs: 0 }),
  polling('poller-lookback', 'usual poller, lookback 30 s', { lookbackMs: LOOKBACK_MS }),
  polling('poller-daily', 'usual poller, lookback 30 s, whole list at the start and daily', {
    lookbackMs: LOOKBACK_MS,
    wholeEveryMs: DAY_MS,
  }),
  polling('whole-list', 'whole list at every poll', WHOLE_LIST),
  feed('feed', 'the feed, `--reconcile 5s --settle 3s`', { reconcile: '5s', settle: '3s' }),
  { ...feed('feed-defaults', 'the feed with defaults', {}), isExtra: true },
];

/** A token has no blanks. */
export function tokenOf(name: string): string {
  return `token-of-${name.replaceAll(/\W+/g, '-')}`;
}

/** The feed at other settings, as on the command line: "--reconcile 30s --budget 300". */
export function feedWith(text: string): ReaderKind {
  const words = text.trim().split(/[\s=]+/);
  const pairs = Array.from({ length: words.length / 2 }, (_, index) => words.slice(2 * index, 2 * index + 2));
  const options = Object.fromEntries(
    pairs.map(([name = '', value = '']) => [name.replace(/^--/, ''), value]),
  );
  return feed(`feed ${text}`, `the feed, \`${text}\``, options);
}

function polling(name: string, about: string, options: PollerOptions): ReaderKind {
  return {
    name,
    about,
    start({ url, everyMs, perMinute, clock }) {
      const token = tokenOf(name);
      const burst = Math.max(1, Math.floor((perMinute * everyMs) / 60_000));
      const ask = createPacedClient({ url, token, clock, perMinute, burst });
      const { learnt, learn } = createKnownStates();
      const poll = createUsualPoller(ask, clock, (...state) => learn(...state, clock.now()), options);
      return startPolling({ poll, name, token, learnt, everyMs, clock });
    },
  };
}

function feed(name: string, about: string, options: Readonly<Record<string, string>>): ReaderKind {
  return {
    name,
    about,
    start: ({ url, everyMs, mostMinutes }) =>
      startReturnsFeedReader({
        name,
        token: tokenOf(name),
        url,
        options: { every: `${everyMs / 1_000}s`, ...options },
        mostMinutes,
      }),
  };
}
