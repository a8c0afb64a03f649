// The facts that the simulation reads from a source's stored state and from its reports: the only place that knows their
// form. Everything else asks for facts.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { formatInstant, type Instant, MILLISECOND, parseStamp } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { SimulatedSettings } from './plan.ts';

/** The rounds that together read everything: of late changes, and over recent and older groups. */
export const LANES = ['late', 'recent', 'older'] as const;
export type Lane = (typeof LANES)[number];

export interface SourceFacts {
  readonly source: string;
  readonly generation: string;
  readonly baseline: 'silent' | 'emit';
  readonly isBaselineComplete: boolean;
  /** For each lane a value that changes with each complete round; undefined before the first. */
  readonly rounds: Readonly<Record<Lane, unknown>>;
  /** Whether a round over all groups is under way. */
  readonly isWalking: boolean;
  /** Holds that stand, and released ones that are not published completely. */
  readonly holds: readonly { readonly number: number; readonly kind: string; readonly stands: boolean }[];
  /** Groups that the source has set aside; undefined for a row without an id. */
  readonly setAside: readonly (number | undefined)[];
  /** The number of places that are set aside, because a row in them makes every answer fail. */
  readonly places: number;
  /** Codes for which the source is degraded. */
  readonly reasons: readonly string[];
}

export function factsOf(state: SourceState): SourceFacts {
  const { source, generation, baseline, health, reconciliation, guarding, setAside } = state;
  const standing = standingHolds(state);
  return {
    source,
    generation,
    baseline: baseline.mode,
    isBaselineComplete: baseline.status === 'completed',
    rounds: {
      // The slot of the last tick whose polls were complete; at first it is the start.
      late: health.lastSettledAt === baseline.startedAt ? undefined : health.lastSettledAt,
      recent: reconciliation.all.lastCompletedAt,
      older: reconciliation.all.lastCompletedAt,
    },
    isWalking: reconciliation.all.isUnderWay,
    holds: guarding.holds.map((hold) => ({
      number: hold.number,
      kind: hold.guard,
      stands: standing.includes(hold),
    })),
    setAside: setAside.map(({ groupId }) => groupId),
    places: 0,
    reasons: health.reasons.map(({ code }) => code),
  };
}

/** The state in a line of the trace. */
export function describeState({ settledThrough, baseline, lease, guarding, health }: SourceState): string {
  return [
    `state: settled through ${formatInstant(settledThrough)}`,
    `baseline ${baseline.status}`,
    `lease ${lease.owner} ${lease.epoch}`,
    ...guarding.holds.map((hold) => `holds ${hold.guard}`),
    ...health.reasons.map(({ code }) => code),
  ].join(', ');
}

export interface ReadClaim {
  /** The start of the last complete round of late changes. */
  readonly polledAt: Instant | undefined;
  /** The start of the last complete round over all groups. */
  readonly walkedAt: Instant | undefined;
}

/** What a `feed.source_read` claims; undefined for any other event. */
export function claimOf(
  event: FeedEvent,
  { lookbackMs, settleMs }: SimulatedSettings,
): ReadClaim | undefined {
  if (event.type !== 'feed.source_read') return undefined;
  const { read_up_to: upTo, reconciled_through: through } = event.data.object;
  return {
    polledAt: later(upTo, lookbackMs + settleMs),
    walkedAt: later(through, 2 * settleMs),
  };
}

function later(stamp: string | null, byMs: number): Instant | undefined {
  const instant = stamp === null ? undefined : parseStamp(stamp)?.instant;
  return instant === undefined ? undefined : instant + byMs * MILLISECOND;
}
