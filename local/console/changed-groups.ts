// The groups that changed last, as their source's activity lists them.
import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import type { Activity } from '../../shared/reporting/activity.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

export interface ChangedGroup {
  readonly key: GroupKey;
  readonly sequence: number;
  readonly savedAt: Instant;
}

/** Empty without an activity. */
export function changedGroups(
  { source, generation }: Pick<SourceState, 'source' | 'generation'>,
  activity: Activity | undefined,
): ChangedGroup[] {
  const recent = activity?.recent ?? [];
  return recent.map(({ group, sequence, savedAt }) => ({
    key: { source, generation, group },
    sequence,
    savedAt,
  }));
}
