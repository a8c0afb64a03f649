// Which shards of a stream are being read, and which must wait: a shard is closed now and then and goes on in its
// children, and a child's records come after all of its parent's.
import type { Shard } from '@aws-sdk/client-dynamodb-streams';

export type StartingPosition = 'TRIM_HORIZON' | 'LATEST';

/** Reads that find nothing before a shard counts as read to its end: the first may have begun before the question. */
const QUIET_READS = 2;

export interface ShardState {
  readonly shardId: string;
  readonly parentShardId: string | undefined;
  readonly startAt: StartingPosition;
  /** `ended`: read to its last record; `done`: and its children are known. */
  progress: 'waiting' | 'reading' | 'ended' | 'done';
  /** Reads that found nothing since the last `disturb`. */
  quietReads: number;
}

export interface ShardLineage {
  /** The shards whose children are still to be looked for; ask before listing the stream's shards. */
  ended(): readonly ShardState[];
  /**
   * Takes in a list of all shards.
   *
   * @param ended what was ended before the list was made
   * @returns the shards that are to be read from now on
   */
  take(listed: readonly Shard[], ended: readonly ShardState[]): readonly ShardState[];
  /** Forgets how quiet the shards were. */
  disturb(): void;
  /** Whether shards are known and every one is read to its end, for now or for good. */
  isQuiet(): boolean;
}

export function createShardLineage(startingPosition: StartingPosition): ShardLineage {
  const shards = new Map<string, ShardState>();

  function add(
    { ShardId: shardId = '', ParentShardId: parentShardId }: Shard,
    startAt: StartingPosition,
  ): void {
    if (shards.has(shardId)) return;
    shards.set(shardId, { shardId, parentShardId, startAt, progress: 'waiting', quietReads: 0 });
  }

  function mayStart({ progress, parentShardId = '' }: ShardState): boolean {
    const parent = shards.get(parentShardId);
    return progress === 'waiting' && (parent === undefined || parent.progress === 'done');
  }

  return {
    ended: () => [...shards.values()].filter(({ progress }) => progress === 'ended'),
    take(listed, ended) {
      // A shard that shows later is newer than the starting position, so it is read from its beginning.
      const startAt = shards.size === 0 ? startingPosition : 'TRIM_HORIZON';
      for (const shard of listed) add(shard, startAt);
      for (const state of ended) state.progress = 'done';
      const starting = [...shards.values()].filter(mayStart);
      for (const state of starting) state.progress = 'reading';
      return starting;
    },
    disturb() {
      for (const state of shards.values()) state.quietReads = 0;
    },
    isQuiet: () =>
      shards.size > 0 &&
      [...shards.values()].every(
        ({ progress, quietReads }) => progress === 'done' || quietReads >= QUIET_READS,
      ),
  };
}
