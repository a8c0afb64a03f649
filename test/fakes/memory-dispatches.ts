// The dispatched minutes and the notes of ticks, in memory.
import type { Dispatch, Dispatches } from '../../functions/adapters/dynamodb-dispatches.ts';
import type { Progress } from '../../functions/adapters/dynamodb-progress.ts';
import type { Note } from '../../shared/dispatching/known-source.ts';

export function createMemoryDispatches(): Dispatches {
  let last: { readonly minute: number; readonly dispatch: Dispatch } | undefined;
  return {
    load: async () => last?.dispatch,
    async take(minute, dispatch) {
      if (last !== undefined && last.minute >= minute) return false;
      last = { minute, dispatch };
      return true;
    },
  };
}

export function createMemoryProgress(): Progress {
  const shards = new Map<
    string,
    { readonly minute: number; readonly notes: Readonly<Record<string, Note>> }
  >();
  const long = new Map<string, Note>();
  const keyOf = (minute: number, shard: number) => `${minute % 2}/${shard}`;
  return {
    async note({ minute, shard }, notes) {
      const key = keyOf(minute, shard);
      if ((shards.get(key)?.minute ?? 0) <= minute) shards.set(key, { minute, notes });
    },
    async noteLong(source, note) {
      if ((long.get(source)?.slot ?? 0) <= note.slot) long.set(source, note);
    },
    async readAll(minutes) {
      const found = new Map<string, Note[]>();
      for (const { minute, shards: count } of minutes.toSorted((a, b) => a.minute - b.minute))
        for (let shard = 0; shard < count; shard += 1) {
          const stored = shards.get(keyOf(minute, shard));
          if (stored?.minute !== minute) continue;
          for (const [source, note] of Object.entries(stored.notes))
            found.set(source, [...(found.get(source) ?? []), note]);
        }
      return found;
    },
    async readLong(sources) {
      return new Map(
        sources.flatMap((source) => {
          const note = long.get(source);
          return note === undefined ? [] : [[source, note] as const];
        }),
      );
    },
  };
}
