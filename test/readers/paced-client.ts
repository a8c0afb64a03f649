// The client of a careful reader: it sends as many requests as the service allows, spread so that a long reading does
// not wait for the end of a minute, and repeats a refused request.
import type { Fields } from '../acceptance/history.ts';
import { statesOfRow } from './known-states.ts';

export interface ReaderClock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface ReadRow {
  /** Milliseconds since 1970. */
  readonly updatedAtMs: number;
  /** The state of each of its entities. */
  readonly states: Iterable<readonly [subject: string, state: string]>;
}

/** Returns the rows of one page. */
export type AskPage = (query: Readonly<Record<string, string>>) => Promise<ReadRow[]>;

export interface Pace {
  readonly clock: ReaderClock;
  /** Requests that the service allows in 60 s. */
  readonly perMinute: number;
  /** Requests without a pause between them: the allowance for the time between two polls. */
  readonly burst: number;
}

export interface ClientOptions extends Pace {
  readonly url: string;
  readonly token: string;
}

/** A request is counted when it is sent, and by the service when it arrives. */
const WINDOW_MS = 60_500;
const PAUSE_MS = 1_000;
const MOST_TRIES = 100;

export function createPacedClient(options: ClientOptions): AskPage {
  const { url, token, clock } = options;
  const waitForTurn = createTurns(options);

  return async (query) => {
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      await waitForTurn();
      const response = await fetch(`${url}/v2/return-groups?${new URLSearchParams(query)}`, {
        headers: { 'x-service-api-token': token },
      });
      if (response.ok) return ((await response.json()) as Fields[]).map(readRow);
      await response.arrayBuffer();
      await clock.sleep(PAUSE_MS);
    }
    throw new Error(`The service refused ${MOST_TRIES} requests in a row.`);
  };
}

function readRow(row: Fields): ReadRow {
  return { updatedAtMs: Date.parse(String(row.updated_at)), states: statesOfRow(row) };
}

/** Returns a function that resolves when the next request may be sent. */
export function createTurns({ clock, perMinute, burst }: Pace): () => Promise<void> {
  const sent: number[] = [];
  const gapMs = 60_000 / perMinute;
  let left = burst;
  let filledAt = clock.now();

  return async () => {
    for (;;) {
      const now = clock.now();
      left = Math.min(burst, left + (now - filledAt) / gapMs);
      filledAt = now;
      while (sent[0] !== undefined && now - sent[0] >= WINDOW_MS) sent.shift();
      if (left >= 1 && sent.length < perMinute) {
        left -= 1;
        sent.push(now);
        return;
      }
      const oldest = sent.length < perMinute ? now : sent[0]! + WINDOW_MS;
      await clock.sleep(Math.max(oldest - now, (1 - left) * gapMs, 1));
    }
  };
}
