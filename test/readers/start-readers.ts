import { createKnownStates } from './known-states.ts';
import { createPacedClient, type ReaderClock } from './paced-client.ts';
import { type Reader, startPolling } from './reader.ts';
import { startReturnsFeedReader } from './returns-feed-reader.ts';
import { createUsualPoller, ORDINARY_KINDS, type OrdinaryKind } from './usual-poller.ts';

/** The service and the pace with which a reader starts. */
export interface Place {
  readonly url: string;
  readonly everyMs: number;
  readonly perMinute: number;
  readonly clock: ReaderClock;
  readonly mostMinutes: number;
}

const FEED = 'feed';

export function tokenOf(name: string): string {
  return `token-of-${name}`;
}

export const TOKENS: readonly string[] = [...ORDINARY_KINDS, FEED].map(tokenOf);

export function startOrdinary(
  kind: OrdinaryKind,
  { url, everyMs, perMinute, clock }: Omit<Place, 'mostMinutes'>,
): Reader {
  const token = tokenOf(kind);
  const burst = Math.max(1, Math.floor((perMinute * everyMs) / 60_000));
  const ask = createPacedClient({ url, token, clock, perMinute, burst });
  const { learnt, learn } = createKnownStates();
  const poll = createUsualPoller(kind, ask, clock, learn);
  return { name: kind, token, learnt, pid: undefined, ...startPolling({ poll, everyMs, clock }) };
}

/** @param options as on the command line, without `--` */
export function startFeed(
  options: Readonly<Record<string, string>>,
  { url, everyMs, mostMinutes }: Place,
): Reader {
  const every = `${everyMs / 1_000}s`;
  return startReturnsFeedReader({
    ...{ name: FEED, token: tokenOf(FEED), url, mostMinutes },
    options: { every, ...options },
  });
}
