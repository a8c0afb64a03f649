import { describe, expect, it } from 'vitest';
import { MAX_SET_ASIDE } from '../../../shared/limits.ts';
import { TooLargeToStoreError } from '../../../shared/recording/store-errors.ts';
import type { SourceState } from '../../../shared/source/source-state.ts';
import { forgetVanished, noteSetAside } from '../../../shared/tick/set-aside.ts';
import { createSourceWorld } from '../source-world.ts';

const NONE = { setAside: [] } as unknown as SourceState;

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
      const refuse = (groupId: number) => {
        if (groupId === large) throw new TooLargeToStoreError(groupId, 500_000);
      };
      const session = world.startProcess('a', {
        store: {
          ...world.store,
          async save(key, save) {
            refuse(save.snapshot.groupId);
            return world.store.save(key, save);
          },
          async saveAll(source, saves) {
            for (const { snapshot } of saves) refuse(snapshot.groupId);
            return world.store.saveAll(source, saves);
          },
        },
      });

      const report = await world.tick(session);

      expect(report.outcome).toBe('done');
      expect(report.state?.baseline.status).toBe('completed');
      expect(report.state?.setAside.map(({ groupId }) => groupId)).toEqual([large]);
      expect(world.store.all(await world.source())).toHaveLength(40);
    },
  );
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
