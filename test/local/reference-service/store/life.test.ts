import { describe, expect, it } from 'vitest';
import { PARTS } from '../../../../local/reference-service/knobs.ts';
import type { Change } from '../../../../local/reference-service/store/stored-group.ts';
import { DAY, SECOND } from '../../../../shared/instant.ts';
import { aStore, STARTED_AT } from './a-store.ts';

function lived(seconds: number, options: Parameters<typeof aStore>[0] = {}) {
  const under = aStore({ groups: 200, life: { changesPerSecond: 20 }, ...options });
  under.clock.advance(seconds * 1_000);
  return { ...under, history: under.store.history() };
}

const stepsOf = (history: readonly Change[]) => new Set(history.map((change) => change.step));

describe('the random changes of the store', () => {
  it('are the same for one seed, also with reads in between', () => {
    const atOnce = lived(60, { seed: 9 });
    const often = aStore({ groups: 200, life: { changesPerSecond: 20 }, seed: 9 });
    for (let second = 0; second < 60; second += 1) {
      often.clock.advance(1_000);
      often.store.catchUp();
    }

    const other = lived(60, { seed: 10 });

    expect(often.store.history()).toEqual(atOnce.history);
    expect([...often.store.groups()]).toEqual([...atOnce.store.groups()]);
    expect(other.history.map((change) => change.step)).not.toEqual(
      atOnce.history.map((change) => change.step),
    );
  });

  it('have about the configured rate, each stamped with its due time', () => {
    const { history } = lived(100);

    const instants = history.map((change) => change.at);

    expect(history.length).toBeGreaterThan(1_900);
    expect(history.length).toBeLessThan(2_100);
    expect(instants).toEqual([...instants].sort((one, other) => one - other));
    expect(instants.every((at) => at > STARTED_AT && at <= STARTED_AT + 100 * SECOND)).toBe(true);
    expect(history.every(({ after, at }) => after?.updated_at === at)).toBe(true);
  });

  it('change every kind of entity in every way, and create groups', () => {
    const { history } = lived(300);

    const steps = stepsOf(history);

    for (const step of [
      'return_group.created',
      'return_group.canceled',
      'shipment.labelled',
      'shipment.shipped',
      'shipment.delivered',
      'shipment.added',
      'shipment.failed',
      'return_line_item.approved',
      'return_line_item.completed',
      'return_line_item.canceled',
      'return_line_item.rma_assigned',
      'exchange_line_item.processed',
      'refund_transaction.paid',
      'refund_transaction.identified',
    ]) {
      expect(steps).toContain(step);
    }
  });

  it('are recorded: each group reached its state by them', () => {
    const { store, history } = lived(120, { knobs: { removals: 0.1 } });
    const latest = new Map(history.map((change) => [change.groupId, change.after]));
    const before = new Map<number, Change>();

    for (const change of history) {
      const last = before.get(change.groupId);
      if (last !== undefined) expect(change.before).toBe(last.after);
      before.set(change.groupId, change);
    }

    for (const [id, after] of latest) expect(store.group(id)).toBe(after);
    expect(stepsOf(history)).toContain('return_group.restored');
    expect(history.some(({ after }) => after === undefined)).toBe(true);
    expect(stepsOf(history)).toContain('entity.removed');
  });

  it('keep references between items and shipments consistent', () => {
    const { store } = lived(300);

    for (const { id, returns, shipments } of store.groups()) {
      for (const item of returns) {
        const holders = shipments.filter((shipment) => shipment.return_ids.includes(item.id));
        expect(
          holders.map((shipment) => shipment.id),
          `group ${id}`,
        ).toEqual(item.shipment_id === null ? [] : [item.shipment_id]);
      }
      expect(new Set(shipments.map((shipment) => shipment.id)).size).toBe(shipments.length);
    }
  });

  it('move updated_at only for the parts that the knob names', () => {
    const { history } = lived(200, { knobs: { touches: ['return_line_item'] } });

    const moved = history.filter(
      ({ before, after }) => before !== undefined && before.updated_at !== after?.updated_at,
    );
    const unmoved = history.filter(
      ({ before, after }) => before !== undefined && before.updated_at === after?.updated_at,
    );

    expect(moved.length).toBeGreaterThan(0);
    expect(moved.every(({ parts }) => parts.includes('return_line_item'))).toBe(true);
    expect(unmoved.some(({ parts }) => parts.includes('shipment'))).toBe(true);
    expect(unmoved.every(({ parts }) => !parts.includes('return_line_item'))).toBe(true);
    expect(PARTS.every((part) => history.some(({ parts }) => parts.includes(part)))).toBe(true);
  });

  it('enter and leave unlisted statuses', () => {
    const { history } = lived(300, { knobs: { unlistedStatuses: 0.3 } });
    const statuses = (change: Change) => change.after?.shipments.map((shipment) => shipment.status) ?? [];

    const unlisted = history.filter((change) => statuses(change).includes('OUT_FOR_DELIVERY'));
    const later = unlisted.flatMap(({ groupId, sequence }) =>
      history.filter((change) => change.groupId === groupId && change.sequence > sequence),
    );

    expect(unlisted.length).toBeGreaterThan(0);
    expect(later.some((change) => !statuses(change).includes('OUT_FOR_DELIVERY'))).toBe(true);
  });

  it('stop while the store is paused', () => {
    const { store, clock, history } = lived(10);
    const before = history.length;

    store.pause();
    clock.advance(60_000);
    const paused = store.history().length;
    store.resume();
    clock.advance(10_000);

    expect(paused).toBe(before);
    expect(store.history().length).toBeGreaterThan(before + 100);
    expect(store.history().length).toBeLessThan(before + 300);
  });
});

describe('a store at its opening', () => {
  it('has groups that turn 45 days old in the given time', () => {
    const { store } = aStore({ groups: 40, knobs: { agingSeconds: { least: 60, most: 120 } } });

    const ages = [...store.groups()].map(({ created_at }) => STARTED_AT - created_at);
    const isAging = (age: number) => age <= 45 * DAY - 60 * SECOND && age >= 45 * DAY - 120 * SECOND;

    expect(ages.filter(isAging)).toHaveLength(14);
  });
});
