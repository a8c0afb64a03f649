// Decides which shards of a stream may be read and which must wait: from time to time a shard closes and continues in
// its children, and a child's records come after all of its parent's.
import type { Shard } from '@aws-sdk/client-dynamodb-streams';

export type StartingPosition = 'TRIM_HORIZON' | 'LATEST';

/** Empty reads after which a shard counts as read to its end: the first may have started before the call of `idle`. */
const QUIET_READS = 2;

export interface ShardState {
  readonly shardId: string;
  readonly parentShardId: string | undefined;
  readonly startAt: StartingPosition;
  /** `ended`: read to its last record; `done`: its children are known as well. */
  progress: 'waiting' | 'reading' | 'ended' | 'done';
  /** Empty reads since the last `disturb`. */
  quietReads: number;
}

export interface ShardLineage {
  /** The ended shards whose children are not known yet. Call this before listing the stream's shards. */
  ended(): readonly ShardState[];
  /**
   * Adds the shards of a listing.
   *
   * @param ended the result of `ended` before the listing
   * @returns the shards to read from now on
   */
  take(listed: readonly Shard[], ended: readonly ShardState[]): readonly ShardState[];
  /** Resets the count of empty reads. */
  disturb(): void;
  /** Whether shards are known and each is read to its present end. */
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
      // A shard that appears later is newer than the starting position, so it is read from its beginning.
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
