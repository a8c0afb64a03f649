// Marks in memory.

import type { Instant } from '../../shared/instant.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { formatGroupKey, parseGroupKey } from '../../shared/recording/group-key.ts';
import type { WebhookMarks } from '../../shared/webhooks/webhook-ports.ts';

interface Mark {
  readonly sequence?: number | undefined;
  readonly reason?: string | undefined;
  readonly since?: Instant | undefined;
  readonly contentSince?: Instant | undefined;
  readonly rejectedUntil?: Instant | undefined;
}

export interface MemoryMarks extends WebhookMarks {
  /** The reason why a group stopped at its mark, if it did. */
  behind(destination: string, key: GroupKey): string | undefined;
  listBehind(
    destination: string,
  ): AsyncIterable<{ readonly key: GroupKey; readonly sequence: number | undefined }>;
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
    async noteBehind(destination, key, stop) {
      const name = nameOf(destination, key);
      const mark = marks.get(name) ?? {};
      const { sequence, reason } = mark;
      if (stop === undefined) {
        marks.set(name, { sequence });
        return reason !== undefined;
      }
      if (sequence !== undefined && sequence >= stop.sequence) return false;
      marks.set(name, { ...mark, reason: `${stop.sequence}: ${stop.reason}` });
      return true;
    },
    async position(webhook, key) {
      const { sequence, since: failingSince, rejectedUntil } = marks.get(nameOf(webhook, key)) ?? {};
      return { sequence, failingSince, rejectedUntil };
    },
    async noteFailing(webhook, key, failure) {
      const name = nameOf(webhook, key);
      const { rejection, at } = failure;
      const { sequence, since = at, contentSince: before = at } = marks.get(name) ?? {};
      if (sequence !== undefined && sequence >= failure.sequence) return undefined;
      const failing = { since, contentSince: rejection && (rejection.continues ? before : at) };
      const rejectedUntil = rejection?.until;
      marks.set(name, {
        sequence,
        ...failing,
        rejectedUntil,
        reason: `${failure.sequence}: ${failure.reason}`,
      });
      return failing;
    },
    behind: (destination, key) => marks.get(nameOf(destination, key))?.reason,
    async *listBehind(destination) {
      for (const [name, { sequence, reason }] of [...marks]) {
        const prefix = `${destination}#`;
        const key = name.startsWith(prefix) ? parseGroupKey(name.slice(prefix.length)) : undefined;
        if (key !== undefined && reason !== undefined) yield { key, sequence };
      }
    },
  };
}
