// The groups that changed last, as their source's activity lists them.
import type { Activity, RecentGroup } from '../../functions/adapters/dynamodb-activities.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

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
