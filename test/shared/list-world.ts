// A source whose service is a list in memory, with its stores, in virtual time. Tests of single parts get a run of a
// tick that has begun; tests of lanes run whole ticks.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { HOUR, type Instant, MILLISECOND } from '../../shared/instant.ts';
import { createTickRun, type TickRun } from '../../shared/lanes/tick-run.ts';
import { pollSource } from '../../shared/poll-source.ts';
import { beginAt, UNKNOWN_POSITION } from '../../shared/position/position.ts';
import type { TickReport } from '../../shared/reporting/tick-report.ts';
import {
  createSourceSession,
  type SourceServices,
  type SourceSession,
} from '../../shared/source/source-session.ts';
import { reachOf, type SourceSettings, sourceSettings } from '../../shared/source/source-settings.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { createMemoryLedger } from '../fakes/memory-ledger.ts';
import { createMemorySnapshotStore } from '../fakes/memory-snapshot-store.ts';
import { createMemorySourceStates } from '../fakes/memory-source-states.ts';
import { createVirtualClock, VIRTUAL_START } from '../fakes/virtual-clock.ts';
import { aState } from './a-state.ts';
import { createListService, type ListKnobs } from './list-service.ts';

export type ListWorld = ReturnType<typeof createListWorld>;

export interface ListWorldOptions {
  readonly knobs?: Partial<ListKnobs>;
  readonly settings?: Partial<SourceSettings>;
}

const TICK_MS = 50_000;

export function createListWorld({ knobs = {}, settings = {} }: ListWorldOptions = {}) {
  const time = createVirtualClock(VIRTUAL_START);
  const list = createListService(time, knobs);
  const ledger = createMemoryLedger();
  const store = createMemorySnapshotStore(ledger);
  const states = createMemorySourceStates();
  const parsed = sourceSettings.parse({
    ...{ name: 'acme', baseUrl: 'https://returns.example/api', sourceRead: false },
    ...settings,
  });
  const nothing = () => {};

  function startProcess(owner = 'a', others: Partial<SourceServices> = {}): SourceSession {
    return createSourceSession({
      ...{ settings: parsed, states, store, ledger, clock: time, owner, place: '' },
      log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      random: () => 0.5,
      client: () => list.client,
      secret: { read: async () => 'token' },
      hashToken: (text) => `hash of ${text}`,
      ...others,
    });
  }

  async function state(): Promise<SourceState> {
    const known = await states.load('acme');
    if (known === undefined) throw new Error('There is no state yet.');
    return known;
  }

  function tick(session: SourceSession, durationMs: number = TICK_MS): Promise<TickReport> {
    return time.run(pollSource({ slot: time.now() / MILLISECOND, durationMs }, session));
  }

  return {
    ...{ time, list, ledger, store, states, settings: parsed, startProcess, state, tick },
    now: () => time.now(),
    /** A run of a tick without its end, on a state that is not saved before the test saves it. */
    begin(changes: Partial<SourceState> = {}, session: SourceSession = startProcess()): TickRun {
      session.deadline = time.elapsed() + 10 * HOUR;
      session.leaseEnd = Number.POSITIVE_INFINITY;
      const run = createTickRun(session, nothing);
      const now = time.now();
      run.cell.begin(
        aState({
          ...{ startedAt: now, seenWith: `hash of ${parsed.baseUrl} token` },
          // All groups of the list were created before the feed began.
          position: beginAt(UNKNOWN_POSITION, { low: now, high: now }, reachOf(parsed), now),
          ...changes,
        }),
      );
      return run;
    },
    /** Advances the time and runs a tick. */
    async nextTick(session: SourceSession, afterMs = 60_000): Promise<TickReport> {
      await time.advance(afterMs * MILLISECOND);
      return tick(session);
    },
    /** Changes the saved state. */
    async rewrite(change: (before: SourceState) => SourceState): Promise<void> {
      const before = await state();
      await states.save({ ...change(before), version: before.version + 1 }, before.version);
    },
    /** Ids of all groups that are recorded and not removed. */
    async recorded(generation?: string): Promise<number[]> {
      const source = { source: 'acme', generation: generation ?? (await state()).generation };
      const ids: number[] = [];
      for await (const { groupId } of store.knownCreatedBetween(source, -Infinity, Infinity))
        ids.push(groupId);
      return ids.sort((a, b) => a - b);
    },
    async eventsOf(group: number | 'feed' | 'read'): Promise<FeedEvent[]> {
      const { generation } = await state();
      const entries = await ledger.read({ source: 'acme', generation, group }, 0, 10_000);
      return entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
    },
    /** Adds groups, one each `apart`, the last one at `last`. */
    addMany(count: number, apart: number, last: Instant = time.now(), firstId = 1): void {
      for (let index = 0; index < count; index += 1)
        list.add(firstId + index, last - (count - 1 - index) * apart);
    },
  };
}
