// A recorder with its store, ledger and memory, and pages for it.
import { createMemory } from '../../../shared/comparing/memory.ts';
import { SECOND } from '../../../shared/instant.ts';
import type { SnapshotStore } from '../../../shared/ports.ts';
import type { Page } from '../../../shared/reading/page.ts';
import { createRecorder, type RecorderOptions } from '../../../shared/recording/record-pages.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { createMemoryLedger } from '../../fakes/memory-ledger.ts';
import { createMemorySnapshotStore } from '../../fakes/memory-snapshot-store.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';

export const SOURCE = { source: 'acme', generation: 'gen' };
export const START = Date.UTC(2026, 10, 20, 11) * 1_000;
const SETTLE = 60 * SECOND;

export function createSetting(changes: Partial<SnapshotStore> = {}) {
  const ledger = createMemoryLedger();
  const store = createMemorySnapshotStore(ledger);
  const memory = createMemory();
  const aside: unknown[] = [];
  const fresh: number[] = [];
  let loads = 0;
  const recorder = (others: Partial<RecorderOptions> = {}) =>
    createRecorder({
      ...SOURCE,
      store: {
        ...store,
        load(source, groups) {
          loads += 1;
          return store.load(source, groups);
        },
        ...changes,
      },
      through: 'poll',
      memory,
      trustsMemory: true,
      settle: SETTLE,
      announces: () => false,
      customerData: false,
      unknowable: () => () => false,
      setAside: (row) => void aside.push(row),
      noteFresh: ({ groupId }) => void fresh.push(groupId),
      ...others,
    });
  const known = async (id: number) => (await store.load(SOURCE, [id])).get(id);
  const events = async (group: number) => ledger.read({ ...SOURCE, group }, 0, 100);
  return { store, memory, recorder, aside, fresh, known, events, loads: () => loads };
}

/** A page of these rows, requested `after` seconds after the start. */
export function page(rows: readonly unknown[], after = 0): Page {
  const sentAt = START + after * SECOND;
  return { rows: rows.map(parseReturnGroup), bytes: 1_000, sentAt, receivedAt: sentAt + SECOND };
}

export function failed(id: number, updated_at = sampleRow(id).updated_at) {
  const row = sampleRow(id);
  return {
    ...row,
    updated_at,
    shipments: row.shipments.map((shipment) => ({ ...shipment, status: 'FAILED' })),
  };
}

export const LATER = '2026-11-20T10:16:02.000000Z';
