// Marks in memory.

import type { GroupKey, Marks } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';

export interface MemoryMarks extends Marks {
  /** Why a group stopped at its mark, if it did. */
  behind(destination: string, key: GroupKey): string | undefined;
}

export function createMemoryMarks(): MemoryMarks {
  const marks = new Map<string, { sequence: number | undefined; reason: string | undefined }>();
  const nameOf = (destination: string, key: GroupKey) => `${destination}#${formatGroupKey(key)}`;
  return {
    load: async (destination, key) => marks.get(nameOf(destination, key))?.sequence,
    async advance(destination, key, sequence) {
      const name = nameOf(destination, key);
      const mark = marks.get(name);
      if (mark?.sequence !== undefined && mark.sequence >= sequence) return;
      marks.set(name, { sequence, reason: undefined });
    },
    async noteBehind(destination, key, reason) {
      const name = nameOf(destination, key);
      const sequence = marks.get(name)?.sequence;
      if (sequence !== undefined || reason !== undefined) marks.set(name, { sequence, reason });
    },
    behind: (destination, key) => marks.get(nameOf(destination, key))?.reason,
  };
}
