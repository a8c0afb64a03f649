// Whether the service's present answer for a return group agrees with what the feed has stored of it, by the comparison
// that polls use. It publishes nothing: the next poll or reconciliation decides about each difference.
import { findChanges, type KnownState, keyOf } from '../comparing/change-set.ts';
import type { Change } from '../comparing/changes.ts';
import { createUnknowable } from '../comparing/known-fields.ts';
import type { Reading, Snapshot } from '../comparing/snapshot.ts';
import { isNews } from '../comparing/stale-reads.ts';
import { walkedAt } from '../position/position.ts';
import type { SourceState } from '../source/source-state.ts';
import type { PresentAnswer, ShownGroup } from './ask-for-group.ts';

export interface Difference {
  /** For instance `shipment/77120`, or `return_group/50017` for the group itself. */
  readonly entity: string;
  readonly kind: 'changed' | 'only_at_service' | 'only_in_feed';
  /** The watched fields that differ; empty unless it is `changed`. */
  readonly fields: readonly {
    readonly field: string;
    /** As in the entity's last event. */
    readonly inFeed: unknown;
    readonly atService: unknown;
  }[];
}

export interface ComparedAnswer {
  /** False without differences if the answer can't be read. */
  readonly agrees: boolean;
  readonly differences: readonly Difference[];
  /**
   * Whether the feed would not accept the differences yet: the answer may be older than the stored state. Judged only
   * if both have the group; false otherwise.
   */
  readonly mayBeStale: boolean;
}

/**
 * @param snapshot undefined if the feed knows no such group
 * @param settle how long a read may be stale, in the unit of Instant
 */
export function compareAnswer(
  state: SourceState,
  snapshot: Snapshot | undefined,
  answer: PresentAnswer,
  settle: number,
): ComparedAnswer {
  const known = snapshot?.removedAt === undefined ? snapshot : undefined;
  if (answer.kind === 'unreadable') return { agrees: false, differences: [], mayBeStale: false };
  if (answer.kind === 'absent')
    return concluded(known === undefined ? [] : [{ entity: keyOf(known.projection.group), ...ONLY_IN_FEED }]);
  if (known === undefined) return concluded([{ entity: keyOf(answer.projection.group), ...ONLY_AT_SERVICE }]);
  const differences = differencesOf(state, known, answer, settle);
  return { ...concluded(differences), mayBeStale: differences.length > 0 && !isNews(answer, known, settle) };
}

const ONLY_IN_FEED = { kind: 'only_in_feed', fields: [] } as const;
const ONLY_AT_SERVICE = { kind: 'only_at_service', fields: [] } as const;

function concluded(differences: readonly Difference[]): ComparedAnswer {
  return { agrees: differences.length === 0, differences, mayBeStale: false };
}

function differencesOf(
  state: SourceState,
  snapshot: Snapshot,
  answer: ShownGroup,
  settle: number,
): Difference[] {
  const { projection, unpublished } = snapshot;
  // Without earlier absences, so that those found now are the entities that this answer lacks.
  const known: KnownState = { projection, unpublished, absences: {} };
  const reading: Reading = { ...answer, through: 'reconciliation' };
  const { changes, next } = findChanges(known, reading, {
    unknowable: createUnknowable({ ...state, walkedAt: walkedAt(state.position) }, snapshot, reading, settle),
    emits: true,
    isOld: () => false,
    settle: 0,
    keepsMissing: true,
  });
  const missing = Object.keys(next.absences).map((entity) => ({ entity, ...ONLY_IN_FEED }));
  return [...changes.map(describeChange), ...missing];
}

function describeChange(change: Change): Difference {
  if ('place' in change) {
    const { object, place } = change;
    return { entity: `refund_transaction/${object.platform_id ?? place}`, ...ONLY_AT_SERVICE };
  }
  const { object } = change;
  if (!('previous' in change)) return { entity: keyOf(object), ...ONLY_AT_SERVICE };
  const fields = Object.entries(change.previous).map(([field, inFeed]) => ({
    field,
    inFeed,
    atService: Reflect.get(object, field) as unknown,
  }));
  return { entity: keyOf(object), kind: 'changed', fields };
}
