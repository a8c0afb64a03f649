// The facts that the simulation reads from a source's stored state and from its reports: the only place that knows their
// form. Everything else asks for facts.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { formatInstant, type Instant, parseStamp } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

/** The rounds that together read everything: of late changes, and over recent and older groups. */
export const LANES = ['late', 'recent', 'older'] as const;
export type Lane = (typeof LANES)[number];

export interface SourceFacts {
  readonly source: string;
  readonly generation: string;
  readonly baseline: 'silent' | 'emit';
  /** The stamp at which the feed begins; undefined until it is found. */
  readonly origin: Instant | undefined;
  readonly isBaselineComplete: boolean;
  /** For each lane a value that changes with each complete round; undefined before the first. */
  readonly rounds: Readonly<Record<Lane, unknown>>;
  /** The groups that wait to be looked up by id. */
  readonly lookUps: readonly number[];
  /** Whether a round is under way, or groups wait to be looked up by id. */
  readonly isAtWork: boolean;
  /** Whether a walk over older groups is under way. */
  readonly walksOlder: boolean;
  /** Holds that stand, and released ones that are not published completely. */
  readonly holds: readonly {
    readonly number: number;
    readonly kind: string;
    readonly stands: boolean;
    /** Whether what it held is taken over without events. */
    readonly isAdopted: boolean;
  }[];
  /** Groups that the source has set aside; undefined for a row without an id. */
  readonly setAside: readonly (number | undefined)[];
  /** The number of places that are set aside, because a row in them makes every answer fail. */
  readonly places: number;
  /** Codes for which the source is degraded. */
  readonly reasons: readonly string[];
}

export function factsOf(state: SourceState): SourceFacts {
  const { source, generation, mode, baselineAt, health, lanes, holds, setAside } = state;
  return {
    source,
    generation,
    baseline: mode,
    origin: state.position.origin,
    isBaselineComplete: baselineAt !== undefined,
    rounds: state.position.readAt,
    lookUps: state.lookUps.map(({ groupId }) => groupId),
    walksOlder: lanes.older.round !== undefined,
    isAtWork: state.lookUps.length > 0 || Object.values(lanes).some(({ round }) => round !== undefined),
    holds: holds.map(({ number, kind, phase }) => ({
      ...{ number, kind, stands: phase === 'holding' },
      isAdopted: phase === 'adopting',
    })),
    setAside: setAside.map(({ groupId }) => groupId),
    places: state.position.places.filter(({ isLeftOut }) => isLeftOut).length,
    reasons: health.reasons.map(({ code }) => code),
  };
}

/** The state in a line of the trace. */
export function describeState({
  position,
  baselineAt,
  lease,
  lanes,
  lookUps,
  holds,
  health,
}: SourceState): string {
  return [
    `state: cursor ${formatInstant(position.cursor)}`,
    `baseline ${baselineAt === undefined ? 'running' : 'complete'}`,
    `lease ${lease.owner} ${lease.epoch}`,
    ...Object.entries(lanes).map(([name, { round }]) => `${name} ${round?.stack.length ?? '-'}`),
    `look-ups ${lookUps.map(({ groupId }) => groupId).join()}`,
    ...holds.map(({ kind, phase }) => `${phase} ${kind}`),
    ...health.reasons.map(({ code }) => code),
  ].join(', ');
}

export interface ReadClaim {
  /** The start of the last complete round of late changes. */
  readonly polledAt: Instant | undefined;
  /** The start of the last complete round over all groups. */
  readonly walkedAt: Instant | undefined;
  readonly leftOut: number;
}

/** What a `feed.source_read` claims; undefined for any other event. */
export function claimOf(event: FeedEvent): ReadClaim | undefined {
  if (event.type !== 'feed.source_read') return undefined;
  const { polled_at: polledAt, walked_at: walkedAt, held, set_aside: setAside } = event.data.object;
  return { polledAt: instantOf(polledAt), walkedAt: instantOf(walkedAt), leftOut: held + setAside };
}

function instantOf(stamp: string | null): Instant | undefined {
  return stamp === null ? undefined : parseStamp(stamp)?.instant;
}
