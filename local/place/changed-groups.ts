// The groups that changed last, as their source's activity lists them.
import type { Activity, RecentGroup } from '../../functions/adapters/dynamodb-activities.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import type { Unsent } from '../store/unsent.ts';

export interface ChangedGroup extends Omit<RecentGroup, 'group'> {
  readonly key: GroupKey;
}

/** Empty without an activity. */
export function changedGroups(
  { source, generation }: Pick<SourceState, 'source' | 'generation'>,
  activity: Activity | undefined,
): ChangedGroup[] {
  const recent = activity?.recent ?? [];
  return recent.map(({ group, ...saved }) => ({ key: { source, generation, group }, ...saved }));
}

export interface UnsentQuery {
  readonly destination: string;
  readonly filter: EventFilter;
  /** Of returns without a mark, only what was saved later counts. */
  readonly since: Instant;
  readonly generations: readonly Pick<GroupKey, 'source' | 'generation'>[];
  /** The groups that changed last, for a place that can't list those with unsent events. */
  readonly changed: readonly ChangedGroup[];
}

/** As many groups as an activity lists. */
const MOST = 50;

/**
 * Returns what a destination lacks of the groups that changed last. There may be more if it lacks the earliest of a full
 * list.
 *
 * @param readMarks returns the number of the last event sent for each group, undefined before the first
 */
export async function unsentOfRecent(
  { filter, since, changed }: UnsentQuery,
  readMarks: (groups: readonly GroupKey[]) => Promise<(number | undefined)[]>,
): Promise<Unsent | null> {
  // The mark of a group may stay below events that the destination does not get.
  if (Object.keys(filter).length > 0) return null;
  const marks = await readMarks(changed.map(({ key }) => key));
  const waiting = changed
    .map((group, at) => ({ ...group, sent: marks[at] }))
    .filter(({ sequence, savedAt, sent }) => (sent === undefined ? savedAt > since : sent < sequence));
  const earliestOf = (groups: readonly ChangedGroup[]) => Math.min(...groups.map(({ savedAt }) => savedAt));
  const oldest = earliestOf(waiting);
  return {
    returns: waiting.length,
    events: waiting.reduce((sum, { sequence, sent = 0 }) => sum + sequence - sent, 0),
    isCut: changed.length >= MOST && oldest === earliestOf(changed),
    oldest: waiting.length === 0 ? undefined : oldest,
  };
}
