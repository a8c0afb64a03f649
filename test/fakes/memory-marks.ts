// Marks in memory.

import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import type { WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';

interface Mark {
  readonly sequence?: number | undefined;
  readonly reason?: string | undefined;
  readonly since?: Instant | undefined;
  readonly contentSince?: Instant | undefined;
}

export interface MemoryMarks extends WebhookMarks {
  /** The reason why a group stopped at its mark, if it did. */
  behind(destination: string, key: GroupKey): string | undefined;
}

export function createMemoryMarks(): MemoryMarks {
  const marks = new Map<string, Mark>();
  const nameOf = (destination: string, key: GroupKey) => `${destination}#${formatGroupKey(key)}`;
  return {
    load: async (destination, key) => marks.get(nameOf(destination, key))?.sequence,
    async advance(destination, key, sequence) {
      const name = nameOf(destination, key);
      const mark = marks.get(name);
      if (mark?.sequence !== undefined && mark.sequence >= sequence) return false;
      marks.set(name, { sequence });
      return true;
    },
    async noteBehind(destination, key, reason) {
      const name = nameOf(destination, key);
      const mark = marks.get(name) ?? {};
      const { sequence } = mark;
      if (reason !== undefined) marks.set(name, { ...mark, reason });
      else marks.set(name, { sequence });
    },
    async position(webhook, key) {
      const { sequence, since: failingSince } = marks.get(nameOf(webhook, key)) ?? {};
      return { sequence, failingSince };
    },
    async noteFailing(webhook, key, failure) {
      const name = nameOf(webhook, key);
      const { sequence, since = failure.at, contentSince: before = failure.at } = marks.get(name) ?? {};
      if (sequence !== undefined && sequence >= failure.sequence) return undefined;
      const failing = { since, contentSince: failure.isContent === true ? before : undefined };
      marks.set(name, { sequence, ...failing, reason: `${failure.sequence}: ${failure.reason}` });
      return failing;
    },
    behind: (destination, key) => marks.get(nameOf(destination, key))?.reason,
  };
}
