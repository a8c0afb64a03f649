// The state of each source, and where the states are kept.
import type { SourceStates } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { storedText } from './attribute-values.ts';
import { readBatch } from './dynamodb-batch-read.ts';
import type { TableAccess } from './dynamodb-client.ts';
import { readItem } from './dynamodb-conditional-put.ts';
import { identifyTables } from './dynamodb-table-id.ts';
import { putNextVersion } from './dynamodb-versioned-item.ts';
import { fromSourceStateItem, sourceStateKey, toSourceStateAttributes } from './source-state-item.ts';

export function createDynamoDbSourceStates(
  options: TableAccess<'sources' | 'snapshots' | 'ledger'>,
): SourceStates & {
  /** The states of those sources that have one, in any order. */
  loadMany(sources: readonly string[]): Promise<SourceState[]>;
} {
  const { client, tables } = options;
  const newest = new Map<string, number>();
  let identity: Promise<string> | undefined;

  /** A state older than one seen before comes from a backup: tables of the same names may have other ids by now. */
  function noteLoaded(source: string, version: number, before: number): void {
    if (version < before) identity = undefined;
    // A save that began later may have ended first.
    if (versionOf(source) === before) newest.set(source, version);
  }

  function versionOf(source: string): number {
    return newest.get(source) ?? 0;
  }

  return {
    async load(source) {
      const before = versionOf(source);
      const item = await readItem(client, tables.sources, { k: { S: sourceStateKey(source) } });
      const state = item && fromSourceStateItem(item, source);
      noteLoaded(source, state?.version ?? 0, before);
      return state;
    },

    async loadMany(sources) {
      const before = new Map(
        sources.map((source) => [sourceStateKey(source), { source, version: versionOf(source) }]),
      );
      const items = await readBatch(options, tables.sources, [...before.keys()]);
      return items.flatMap((item) => {
        const asked = before.get(storedText.parse(item.k));
        if (asked === undefined) return [];
        const state = fromSourceStateItem(item, asked.source);
        noteLoaded(asked.source, state.version, asked.version);
        return [state];
      });
    },

    async save(state, expectedVersion) {
      if (state.version !== expectedVersion + 1) {
        throw new RangeError(
          `State ${state.version} of source "${state.source}" can't follow ${expectedVersion}.`,
        );
      }
      const attributes = toSourceStateAttributes(state);
      const item = { table: tables.sources, key: sourceStateKey(state.source), attributes };
      const result = await putNextVersion(options, item, expectedVersion);
      if (result === 'saved') newest.set(state.source, state.version);
      return result;
    },

    /** Numbers continue from all three tables: another table in place of any of them makes it another place. */
    identity() {
      identity ??= identifyTables(client, [tables.sources, tables.snapshots, tables.ledger]).catch(
        (error: unknown) => {
          identity = undefined;
          throw error;
        },
      );
      return identity;
    },
  };
}
