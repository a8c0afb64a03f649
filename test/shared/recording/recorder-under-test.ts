// A recorder with its stores, and pages for it.
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import type { KnownGroup, SnapshotStore } from '../../../shared/ports.ts';
import type { Page } from '../../../shared/reading/range.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import type { LaneName, SourceState } from '../../../shared/source/source-state.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aPosition } from '../a-state.ts';
import { instantOf } from '../comparing/a-reading.ts';
import { createListWorld } from '../list-world.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';

/** An hour after all sample rows were created and updated. */
export const START = VIRTUAL_START + 75 * MINUTE;

/** When all sample rows were created. */
export const CREATED = instantOf('2026-11-18T08:00:00.000001Z');
const ORIGIN = CREATED - HOUR;

/** @param changes of the state; by default the source began before all sample rows were created, and emits */
export function createSetting(changes: Partial<SourceState> = {}, others: Partial<SnapshotStore> = {}) {
  const world = createListWorld();
  /** What was written, in its order. */
  const writes: string[] = [];
  let loaded = 0;
  const storeThat = { losesAnswers: false };
  const store: SnapshotStore = {
    ...world.store,
    load(source, groups) {
      loaded += groups.length;
      return world.store.load(source, groups);
    },
    async save(key, save) {
      writes.push(`group ${key.group}`);
      const result = await world.store.save(key, save);
      if (storeThat.losesAnswers) throw new Error('no answer');
      return result;
    },
    saveAll(source, saves) {
      writes.push(...saves.map(({ snapshot }) => `group ${snapshot.groupId}`));
      return world.store.saveAll(source, saves);
    },
    ...others,
  };
  const states = {
    ...world.states,
    save(state: SourceState, version: number) {
      writes.push('state');
      return world.states.save(state, version);
    },
  };
  const session = world.startProcess('a', { store, states });
  const began = { mode: 'emit', baselineAt: VIRTUAL_START, position: aPosition({ origin: ORIGIN }) } as const;
  const run = world.begin({ ...began, ...changes }, session);
  const { generation } = run.state;
  const source = { source: 'acme', generation };
  async function events(group: number): Promise<FeedEvent[]> {
    const entries = await world.ledger.read({ ...source, group }, 0, 1_000);
    return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
  }
  return {
    ...{ world, session, run, writes, storeThat },
    /** Records a page once the time has come at which it was received. */
    async take(recorded: Page, lane: LaneName = 'late', known?: ReadonlyMap<number, KnownGroup>) {
      await world.time.advance(Math.max(0, recorded.receivedAt - world.now()));
      return world.time.run(run.recorder.record(recorded, lane, known));
    },
    known: async (id: number) => (await world.store.load(source, [id])).get(id),
    index: async () => {
      const groups = new Map<number, KnownGroup>();
      for await (const group of world.store.knownCreatedBetween(source, -Infinity, Infinity))
        groups.set(group.groupId, group);
      return groups;
    },
    events,
    types: async (group: number) => (await events(group)).map(({ type }) => type),
    loaded: () => loaded,
  };
}

/** A page of these rows, requested `after` seconds after the start. */
export function page(rows: readonly unknown[], after = 0): Page {
  const sentAt = START + after * SECOND;
  return {
    rows: rows.map((row) => parseReturnGroup(row)),
    bytes: 1_000,
    largestRow: 0,
    sentAt,
    receivedAt: sentAt + SECOND,
  };
}

/** The sample row with a shipment that failed. */
export function failed(id: number, updated_at = sampleRow(id).updated_at) {
  const row = sampleRow(id);
  const shipments = row.shipments.map((shipment) => ({ ...shipment, status: 'FAILED' }));
  return { ...row, updated_at, shipments };
}

export const LATER = '2026-11-20T10:16:02.000000Z';
