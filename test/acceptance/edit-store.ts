// The changes that a scenario makes to the groups of the store itself.
import type { Group } from './group.ts';
import type { OutsideStore } from './outside-store.ts';
import type { Random } from './random.ts';

export function giveNumbers(random: Random, count: number): (store: OutsideStore) => void {
  return (store) => {
    for (let given = 0; given < count; given++)
      store.change(random.pick(store.groupIds()), giveNumber, false);
  };
}

function giveNumber(group: Group): void {
  for (const item of group.items) {
    item.rma = `RMA-${item.id}-${(item.rma?.length ?? 0) + 1}`;
    item.rmaProvider = 'MANUAL';
  }
}

/** Changes all groups in one bulk, as a nightly job does. */
export function updateAll(store: OutsideStore): void {
  for (const id of store.groupIds()) {
    const change = (group: Group) => {
      for (const item of group.items) item.quantity += 1;
    };
    store.change(id, change, true);
  }
}

export function removeGroups(random: Random, count: number): (store: OutsideStore) => void {
  return (store) => {
    for (let removed = 0; removed < count; removed++) store.remove(random.pick(store.groupIds()));
  };
}

export function removeParts(random: Random, count: number): (store: OutsideStore) => void {
  return (store) => {
    for (let removed = 0; removed < count; removed++) {
      store.change(
        random.pick(store.groupIds()),
        (group) => {
          if (random.chance(0.5) || group.exchanges.length === 0) group.shipments.pop();
          else group.exchanges.pop();
        },
        random.chance(0.5),
      );
    }
  };
}
