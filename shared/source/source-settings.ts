// The settings of a source. Durations are in milliseconds, as everywhere at the edge.
import * as z from 'zod';
import { SOURCE_NAME } from '../contract/event-id.ts';
import { MILLISECOND } from '../instant.ts';
import type { Reach } from '../position/position.ts';
import { INCLUDABLE } from '../returns-service/read-included.ts';

const duration = z.int().positive();

export const DEFAULT_INTERVAL_MS = 60_000;
/** Leaves a fifth of the service's limit to other clients. */
export const DEFAULT_REQUESTS_PER_MINUTE = 240;
/** For a source in AWS. */
export const FEWEST_REQUESTS_PER_MINUTE = 10;
/** For a source in AWS: the service's limit for one key (its document, "Limits"). */
export const MOST_REQUESTS_PER_MINUTE = 300;
export const DEFAULT_LOOKBACK_MS = 300_000;
export const DEFAULT_SETTLE_MS = 60_000;
/** The share of the budget that walks take, where requests cost money besides. */
const DEFAULT_WALK_SHARE = 0.1;
/** The same for `watch`, where a request costs nothing else. */
export const WALK_SHARE_OF_WATCH = 0.25;
/** For a source in AWS: a request must fit into the rest of a tick. */
export const LONGEST_REQUEST_TIMEOUT_MS = 15_000;

const fields = z.object({
  name: z
    .string()
    .regex(
      SOURCE_NAME,
      'A source name must be 1 to 30 characters from a-z, 0-9 and "-", for example "acme".',
    ),
  baseUrl: z.string().min(1),
  /** Time between polls. */
  intervalMs: duration.default(DEFAULT_INTERVAL_MS),
  /** Whether groups that exist at the start are published (`emit`) or only recorded (`silent`). */
  baseline: z.enum(['silent', 'emit']).default('silent'),
  /** How late a change may show after its stamp and still be found by polls. */
  lookbackMs: duration.default(DEFAULT_LOOKBACK_MS),
  /** How long a read may be stale. */
  settleMs: duration.default(DEFAULT_SETTLE_MS),
  /**
   * Time between the starts of two walks over recent groups. By default they begin as often as `walkShare` allows, and at
   * least every ten minutes; walks over older groups do so at least every twelve hours.
   */
  reconcileMs: duration.optional(),
  /** The share of the budget that decides how often walks begin. */
  walkShare: z.number().positive().max(1).default(DEFAULT_WALK_SHARE),
  /** Requests that this deployment may send with the source's token in any 60 seconds. */
  requestsPerMinute: z.int().positive().default(DEFAULT_REQUESTS_PER_MINUTE),
  /** Whether events carry the customer's name, e-mail and phone. */
  customerData: z.boolean().default(false),
  /** Further fields that events carry as `data.included`. */
  include: z.array(z.enum(INCLUDABLE)).default([]),
  /** Whether `feed.source_read` is published: each minute (true), once in this time, or never (false). */
  sourceRead: z.union([z.boolean(), duration]).default(true),
  /** Time limit of a request. */
  requestTimeoutMs: duration.default(10_000),
});

export const sourceSettings = fields.check(({ value, issues }) => {
  const message = problemOfLookback(value);
  if (message !== undefined) issues.push({ code: 'custom', message, input: value, path: ['lookbackMs'] });
});

/**
 * A read may be stale by `settle` while a change shows late, both at once: polls read a range again for as long.
 *
 * @returns the problem in words, undefined if there is none
 */
export function problemOfLookback({
  lookbackMs = DEFAULT_LOOKBACK_MS,
  settleMs = DEFAULT_SETTLE_MS,
}: {
  readonly lookbackMs?: number | undefined;
  readonly settleMs?: number | undefined;
}): string | undefined {
  if (lookbackMs >= 2 * settleMs) return undefined;
  const [lookback, settle] = [lookbackMs / 1_000, settleMs / 1_000];
  return `The lookback must be at least twice as long as settle (got ${lookback} s and ${settle} s): raise it or lower settle.`;
}

/** How far polls reach back. */
export function reachOf({ lookbackMs, settleMs }: Pick<SourceSettings, 'lookbackMs' | 'settleMs'>): Reach {
  return { lookback: lookbackMs * MILLISECOND, settle: settleMs * MILLISECOND };
}

/** @returns the problem in words if sources with one token may send more requests than the service allows */
export function problemOfBudgets(
  sources: readonly { readonly name: string; readonly requestsPerMinute?: number | undefined }[],
): string | undefined {
  const budgets = sources.map(({ requestsPerMinute = DEFAULT_REQUESTS_PER_MINUTE }) => requestsPerMinute);
  const sum = budgets.reduce((all, budget) => all + budget, 0);
  if (sources.length < 2 || sum <= MOST_REQUESTS_PER_MINUTE) return undefined;
  const names = sources.map(({ name }) => `"${name}"`).join(' and ');
  return (
    `The sources ${names} use one token, for which the service allows ${MOST_REQUESTS_PER_MINUTE} requests a minute: ` +
    `give them budgets that sum to that or less (now ${sum}).`
  );
}

export type SourceSettings = z.output<typeof sourceSettings>;
/** The same as given. */
export type GivenSettings = z.input<typeof sourceSettings>;

/** Of sources that operators add: they may be a thousand, and walks and reports cost as much as the polls. */
export const DEFAULTS_OF_ADDED = { reconcileMs: 3_600_000, sourceRead: 3_600_000 } as const;

/** Ticks can't follow each other faster: each takes about this long. */
const SHORTEST_INTERVAL_SECONDS = 2;
const LONGEST_INTERVAL_SECONDS = 86_400;

/** Whether schedules, which only know whole minutes, and the ticks between them can keep this time between polls. */
export function isScheduledInterval(seconds: number): boolean {
  if (!Number.isInteger(seconds) || seconds < SHORTEST_INTERVAL_SECONDS) return false;
  return seconds < 60 ? 60 % seconds === 0 : seconds % 60 === 0 && seconds <= LONGEST_INTERVAL_SECONDS;
}
