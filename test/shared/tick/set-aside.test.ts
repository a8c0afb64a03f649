import { describe, expect, it } from 'vitest';
import { MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { MAX_SET_ASIDE } from '../../../shared/limits.ts';
import type { SnapshotStore } from '../../../shared/ports.ts';
import { TooLargeToStoreError } from '../../../shared/recording/store-errors.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { forgetVanished, noteSetAside } from '../../../shared/tick/set-aside.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

const NONE = { setAside: [] } as unknown as SourceState;

/** A store for which the group is too large. */
function storeWithout({ store }: SourceWorld, large: number): SnapshotStore {
  const refuse = (groupId: number) => {
    if (groupId === large) throw new TooLargeToStoreError(groupId, 500_000);
  };
  return {
    ...store,
    async save(key, save) {
      refuse(save.snapshot.groupId);
      return store.save(key, save);
    },
    async saveAll(source, saves) {
      for (const { snapshot } of saves) refuse(snapshot.groupId);
      return store.saveAll(source, saves);
    },
  };
}

describe('an unreadable row', () => {
  it('is reported once, does not affect its page, and is no longer set aside once it is readable', async () => {
    const world = createSourceWorld({ knobs: { unreadableEvery: 10, unreadableAs: 'no-status' } });
    const session = world.startProcess('a');
    const report = await world.tick(session);
    await world.nextTick(session);
    const aside = (await world.state()).setAside;
    const known = await world.store.load(
      await world.source(),
      world.control.snapshot().map(({ id }) => Number(id)),
    );

    world.control.setKnob('unreadableEvery', 0);
    for (let minute = 0; minute < 12; minute += 1) await world.nextTick(session);

    const reports = (await world.feedEvents()).map(({ type }) => type);
    expect(report.counts.unreadable).toBeGreaterThan(0);
    expect(aside.map(({ groupId }) => Number(groupId) % 10)).toEqual(aside.map(() => 0));
    expect(aside.length).toBeGreaterThanOrEqual(4);
    expect(known.size).toBe(41 - aside.length);
    expect((await world.state()).setAside).toEqual([]);
    expect(reports.filter((type) => type !== 'feed.baseline_completed')).toEqual([
      'feed.source_degraded',
      'feed.source_recovered',
    ]);
  });

  it('is no longer set aside after a poll that can read it', async () => {
    const world = createSourceWorld({ knobs: { unreadableEvery: 10, unreadableAs: 'no-status' } });
    const session = world.startProcess('a');
    await world.tick(session);
    const [first, ...others] = (await world.state()).setAside.map(({ groupId }) => Number(groupId));

    world.control.setKnob('unreadableEvery', 0);
    world.setShipment(first ?? 0, 'FAILED');
    await world.nextTick(session);

    expect((await world.state()).setAside.map(({ groupId }) => groupId)).toEqual(others);
  });

  it('without an id is no longer set aside after a whole cycle that does not find it', async () => {
    const world = createSourceWorld({ knobs: { unreadableEvery: 10, unreadableAs: 'no-id' } });
    const session = world.startProcess('a');
    await world.tick(session);
    for (let minute = 0; minute < 24; minute += 1) await world.nextTick(session);
    const aside = (await world.state()).setAside;

    world.control.setKnob('unreadableEvery', 0);
    for (let minute = 0; minute < 12; minute += 1) await world.nextTick(session);

    expect(aside.length).toBeGreaterThanOrEqual(4);
    expect(aside.every(({ groupId }) => groupId === undefined)).toBe(true);
    expect((await world.state()).setAside).toEqual([]);
    expect((await world.state()).health.degradedSince).toBeUndefined();
  });
});

describe('a group that is too large to store', () => {
  it.each(['silent', 'emit'] as const)(
    'is set aside, and the other groups of its page are saved (%s)',
    async (baseline) => {
      const world = createSourceWorld({ settings: { baseline } });
      const large = world.someGroup();
      const session = world.startProcess('a', { store: storeWithout(world, large) });

      const report = await world.tick(session);

      expect(report.outcome).toBe('done');
      expect(report.state?.baseline.status).toBe('completed');
      expect(report.state?.setAside.map(({ groupId }) => groupId)).toEqual([large]);
      expect(world.store.all(await world.source())).toHaveLength(40);
    },
  );

  it('is set aside if it is gone and has no room for the note of that, and the walks go on', async () => {
    const world = createSourceWorld({ groups: 8, settings: { reconcileMs: 120_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    const [large = 0, other = 0] = world.control.snapshot().map(({ id }) => Number(id));
    world.control.remove(large);
    world.control.remove(other);
    const withoutRoom = world.startProcess('b', { store: storeWithout(world, large) });

    const outcomes = [];
    for (let minute = 0; minute < 15; minute += 1) outcomes.push((await world.nextTick(withoutRoom)).outcome);

    const { setAside, reconciliation, health } = await world.state();
    expect(new Set(outcomes)).toEqual(new Set(['done']));
    expect(setAside.map(({ groupId }) => groupId)).toEqual([large]);
    expect(reconciliation.all.lastCompletedAt).toBeGreaterThan(world.time.now() - 5 * MINUTE);
    expect(health.degradedSince).toBeDefined();
    expect((await world.groupEvents(other)).at(-1)?.type).toBe('return_group.removed');
  });

  it('keeps the first moment of its note', async () => {
    const world = createSourceWorld({ groups: 8, settings: { reconcileMs: 120_000 } });
    const large = world.someGroup();
    const session = world.startProcess('a', { store: storeWithout(world, large) });
    await world.tick(session);
    const [before] = (await world.state()).setAside;
    for (let minute = 0; minute < 6; minute += 1) {
      world.setShipment(large, minute % 2 === 0 ? 'FAILED' : 'DELIVERED');
      await world.nextTick(session);
    }

    const [after] = (await world.state()).setAside;
    expect(after).toMatchObject({ groupId: large, since: before?.since });
    expect(after?.seenAt).toBeGreaterThan(before?.seenAt ?? 0);
  });
});

describe('the note of a row that is set aside', () => {
  it('keeps its first moment while the group stays unreadable, also with another reason', () => {
    const first = noteSetAside(NONE, { id: 1, reason: 'a', digest: 'x' }, 100);
    const again = noteSetAside(first, { id: 1, reason: 'b', digest: 'y' }, 200);

    expect(again.setAside).toEqual([{ groupId: 1, reason: 'b', digest: 'y', since: 100, seenAt: 200 }]);
  });

  it('is dropped beyond the maximum number of notes', () => {
    let state = NONE;
    for (let id = 1; id <= MAX_SET_ASIDE + 5; id += 1) {
      state = noteSetAside(state, { id, reason: 'r', digest: String(id) }, id);
    }

    expect(state.setAside).toHaveLength(MAX_SET_ASIDE);
  });

  it('stays until the end of a cycle that began after the row was last seen', () => {
    const state = noteSetAside(NONE, { reason: 'no id', digest: 'x' }, 100);

    expect(forgetVanished(state, 100)).toBe(state);
    expect(forgetVanished(state, 101).setAside).toEqual([]);
  });
});

// A poll that may have met the end of a cut list asks whether the longest list goes on there. Nothing records that
// page.
describe('a page that is not recorded', () => {
  interface Row {
    readonly id: number;
    readonly returns: Record<string, unknown>[];
  }

  function aStore(reconcileMs: number) {
    const world = createSourceWorld({ groups: 60, settings: { reconcileMs } });
    const group = Number(world.control.snapshot().find(({ returns }) => returns.length > 0)?.id);
    return {
      world,
      group,
      async minutes(session: SourceSession, count: number): Promise<void> {
        for (let minute = 0; minute < count; minute += 1) await world.nextTick(session);
      },
      /** Changes so many other groups that the poll asks for the longest list. */
      async pollThatAsksForMore(session: SourceSession): Promise<void> {
        const ids = world.control.snapshot().map(({ id }) => Number(id));
        for (const id of ids.filter((other) => other !== group).slice(0, 14)) {
          world.reference.store.alter(id, (draft) => {
            Object.assign(draft, { credit_method: 'STORE_CREDIT', return_method: 'SELF_SHIP' });
          });
          await world.time.advance(50 * MILLISECOND);
        }
        const before = world.requests().length;
        await world.nextTick(session);
        const asked = world.requests().slice(before);
        expect(asked.some(({ query }) => query.startsWith('min_updated_at=1969'))).toBe(true);
      },
      alterRows(alter: (row: Row) => void): void {
        world.network.intercept = (request) => {
          const answer = world.reference.service.answer(request);
          const rows = JSON.parse(String(answer.body)) as Row[];
          rows.forEach(alter);
          return { ...answer, body: JSON.stringify(rows) };
        };
      },
      aside: async () => (await world.state()).setAside.map(({ groupId }) => groupId),
    };
  }

  it('does not take back the note of a group that became readable: its change is yet to be read', async () => {
    const { world, group, minutes, ...store } = aStore(3_600_000);
    const session = world.startProcess('a');
    let isUnreadable = false;
    store.alterRows(({ id, returns }) => {
      if (isUnreadable && id === group) for (const item of returns) item.status = null;
    });
    await world.tick(session);
    await minutes(session, 3);
    isUnreadable = true;
    world.setShipment(group, 'FAILED');
    await minutes(session, 20);
    isUnreadable = false;

    await store.pollThatAsksForMore(session);
    const [aside, events] = [await store.aside(), await world.groupEvents(group)];
    await minutes(session, 60);

    expect([aside, events]).toEqual([[group], []]);
    expect(await store.aside()).toEqual([]);
    expect(await world.groupEvents(group)).not.toEqual([]);
  });

  it('does not take back the note of a group that is too large to store', async () => {
    const { world, group, minutes, ...store } = aStore(12 * 3_600_000);
    const session = world.startProcess('a', { store: storeWithout(world, group) });
    await world.tick(session);
    await minutes(session, 3);

    await store.pollThatAsksForMore(session);

    expect(await store.aside()).toEqual([group]);
    expect((await world.state()).health.degradedSince).toBeDefined();
  });

  it('makes no event of a field that began while the group was unreadable', async () => {
    const { world, group, minutes, ...store } = aStore(30 * 60_000);
    const session = world.startProcess('a');
    let [isUnreadable, hasField] = [false, false];
    store.alterRows(({ id, returns }) => {
      for (const item of returns) {
        if (hasField) item.last_rma_number = `RMA-${item.id}`;
        else delete item.last_rma_number;
        if (isUnreadable && id === group) item.status = null;
      }
    });
    await world.tick(session);
    await minutes(session, 3);
    isUnreadable = true;
    await minutes(session, 40);
    hasField = true;
    // A whole walk that began after the field.
    await minutes(session, 61);
    isUnreadable = false;

    await store.pollThatAsksForMore(session);
    await minutes(session, 60);

    expect(await store.aside()).toEqual([]);
    expect(await world.groupEvents(group)).toEqual([]);
  });
});
