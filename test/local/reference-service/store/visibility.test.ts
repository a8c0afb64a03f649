import { describe, expect, it } from 'vitest';
import type { StoredGroup } from '../../../../local/reference-service/store/stored-group.ts';
import { SECOND } from '../../../../shared/instant.ts';
import { aStore, type StoreUnderTest } from './a-store.ts';

const GROUP = 100_005;

function rename({ store }: StoreUnderTest, method: string): void {
  store.alter(GROUP, (draft) => {
    draft.return_method = method;
  });
}

function shown({ store }: StoreUnderTest, from: 'primary' | 'replica' = 'primary'): StoredGroup {
  return store.select({ offset: 0, limit: 1, groupId: GROUP }, from)[0] as StoredGroup;
}

describe('the visible state of a group', () => {
  it('includes a change at once without a delay', () => {
    const under = aStore();

    rename(under, 'A');

    expect(shown(under).return_method).toBe('A');
    expect(under.store.history().at(-1)).toMatchObject({
      groupId: GROUP,
      parts: ['return_group'],
      step: 'altered',
    });
  });

  it('includes a late change only when it is due, with its original stamp', () => {
    const under = aStore({ knobs: { lateSeconds: { least: 20, most: 20 } } });
    const before = shown(under).return_method;
    rename(under, 'A');
    const at = under.store.history()[0]?.at;

    under.clock.advance(19_999);
    const early = shown(under).return_method;
    under.clock.advance(1);

    expect(early).toBe(before);
    expect(shown(under)).toMatchObject({ return_method: 'A', updated_at: at });
    expect(under.store.group(GROUP)?.return_method).toBe('A');
    expect(under.store.history()[0]?.shownFrom).toBe((at ?? 0) + 20 * SECOND);
  });

  it('does not go back if an earlier change becomes visible later', () => {
    const under = aStore({ knobs: { lateSeconds: { least: 30, most: 30 } } });
    rename(under, 'A');
    under.knobs.lateSeconds = { least: 5, most: 5 };
    rename(under, 'B');

    under.clock.advance(10_000);
    const middle = shown(under).return_method;
    under.clock.advance(60_000);

    expect(middle).toBe('B');
    expect(shown(under).return_method).toBe('B');
  });

  it('is the earlier state if a replica answers, including created and removed groups', () => {
    const under = aStore({ knobs: { staleShare: 0.5, staleSeconds: 30 } });
    const before = shown(under).return_method;
    rename(under, 'A');
    const created = under.store.create().groupId;
    const removed = under.store.remove(GROUP + 1).groupId;
    const onReplica = (groupId: number) =>
      under.store.select({ groupId, offset: 0, limit: 1 }, 'replica').length;

    under.clock.advance(29_000);
    const early = [shown(under, 'replica').return_method, onReplica(created), onReplica(removed)];
    under.clock.advance(2_000);
    const late = [shown(under, 'replica').return_method, onReplica(created), onReplica(removed)];

    expect(early).toEqual([before, 0, 1]);
    expect(late).toEqual(['A', 1, 0]);
    expect(shown(under, 'primary').return_method).toBe('A');
  });

  it('starts from the present for a replica when its knob changes', () => {
    const under = aStore();
    rename(under, 'A');
    under.knobs.staleShare = 1;
    under.store.resetReplica();

    rename(under, 'B');

    expect(shown(under, 'replica').return_method).toBe('A');
  });

  it('has different stamps after two changes at one moment', () => {
    const under = aStore();

    rename(under, 'A');
    rename(under, 'B');

    const [first, second] = under.store.history();
    expect(second?.after?.updated_at).toBeGreaterThan(first?.after?.updated_at ?? Number.NaN);
  });

  it('keeps a stamp that was set directly', () => {
    const under = aStore();

    under.store.alter(GROUP, (draft) => {
      draft.return_method = 'A';
      draft.updated_at = 5 * SECOND;
    });

    expect(shown(under)).toMatchObject({ return_method: 'A', updated_at: 5 * SECOND });
  });

  it('is empty for a missing group', () => {
    const { store } = aStore();

    expect(() => store.alter(1, () => undefined)).toThrow('there is no return group 1');
    expect(() => store.remove(1)).toThrow(RangeError);
    expect(() => store.step(GROUP, 'shipment.vanished')).toThrow(/is not possible/);
    expect(store.group(1)).toBeUndefined();
  });
});
