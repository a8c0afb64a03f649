// Changes that are rare in a store: a status that changes and changes back between two polls, many changes of one group at
// once, stamps that move without a watched change, more entities than fit into one transaction, money without an amount
// or a currency, several refunds that nothing tells apart.
import type { MoneyBag } from '../../../local/reference-service/store/stored-group.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import type { World } from './world.ts';

const STATUSES = ['DRAFT', 'CREATED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'CANCELED', 'UNKNOWN'];
/** More entities than the events of one transaction. */
const CROWD = 95;

/** Changes groups by hand until the given moment of the elapsed time. */
export async function runHands(world: World, until: number): Promise<void> {
  const { time, plan, draws, trace } = world;
  if (plan.handsPerMinute === 0) return;
  for (;;) {
    await time.sleep((60_000 / plan.handsPerMinute) * (0.3 + 1.4 * draws.hands.fraction()));
    if (time.elapsed() >= until) return;
    const group = pickGroup(world);
    if (group === undefined) continue;
    const name = drawHand(world);
    trace.count(`hand ${name}`);
    trace.note('store', name, () => String(group));
    HANDS[name](world, group, until);
  }
}

type Hand = (world: World, group: number, until: number) => void;
type HandName = 'flap' | 'context' | 'burst' | 'crowd' | 'money' | 'refund';

function drawHand({ draws, plan }: World): HandName {
  if (plan.rareValues && draws.hands.chance(0.6)) return draws.hands.pick(['money', 'refund']);
  const kind = draws.hands.fraction();
  if (kind < 0.4) return 'flap';
  if (kind < 0.65) return 'context';
  return kind < 0.9 ? 'burst' : 'crowd';
}

export const HANDS: Record<HandName, Hand> = {
  flap(world, group, until) {
    const { store } = world.service;
    const status = store.group(group)?.shipments[0]?.status;
    if (status === undefined) return;
    setStatus(world, group, anotherStatus(world, status));
    const back = world.draws.hands.fraction() ** 2 * 60_000;
    if (world.time.elapsed() + back * MILLISECOND >= until) return;
    void world.time.sleep(back).then(() => setStatus(world, group, status));
  },
  context({ service }, group) {
    service.store.alter(group, (draft) => {
      draft.order.tags.push(`seen ${draft.order.tags.length}`);
    });
  },
  burst(world, group) {
    for (let changes = 0; changes < 4; changes += 1) {
      setStatus(world, group, anotherStatus(world, ''));
    }
  },
  crowd({ service, draws }, group) {
    service.store.alter(group, (draft) => {
      const [shipment] = draft.shipments;
      if (shipment === undefined || draft.shipments.length > CROWD) return;
      const first = group * 1_000 + draws.hands.below(400);
      // Without addresses, because each page with the group is read again.
      const bare = { ...shipment, origin_address: null, destination_address: null };
      // Some entities of an earlier crowd may remain.
      const taken = new Set(draft.shipments.map(({ id }) => id));
      for (let id = first, added = 0; added < CROWD; id += 1) {
        if (taken.has(id)) continue;
        draft.shipments.push({ ...bare, id });
        added += 1;
      }
    });
  },
  money({ service, draws }, group) {
    service.store.alter(group, (draft) => {
      const all = [...draft.returns, ...draft.exchange_line_items];
      if (all.length > 0) draws.hands.pick(all).total = draws.hands.pick(RARE_BAGS);
    });
  },
  refund({ service, draws: { hands } }, group) {
    service.store.alter(group, (draft) => {
      const platform_id = hands.pick([null, '', `refund-${group}-${draft.refund_transactions.length}`]);
      const gateway = hands.pick([null, 'manual', 'gift_card']);
      const amount = hands.pick(RARE_BAGS);
      draft.refund_transactions.push({ type: 'refund_transaction', platform_id, gateway, amount });
    });
  },
};

/** As the service's document allows: each money may be absent, and so may each part of it. */
const RARE_BAGS = [
  {},
  { shop_money: {} },
  { shop_money: { amount: 0.1 + 0.2 } },
  { presentment_money: { currency_code: 'JPY' } },
  { shop_money: { amount: -1_000_000_000, currency_code: 'USD' }, presentment_money: {} },
] as unknown as MoneyBag[];

export function setStatus({ service }: World, group: number, status: string): void {
  if (service.store.group(group)?.shipments[0] === undefined) return;
  service.store.alter(group, (draft) => {
    const [shipment] = draft.shipments;
    if (shipment !== undefined) shipment.status = status;
  });
}

export function anotherStatus({ draws }: World, than: string | undefined): string {
  return draws.hands.pick(STATUSES.filter((status) => status !== than));
}

function pickGroup({ service, draws }: World): number | undefined {
  const ids = Array.from(service.store.groups(), ({ id }) => id);
  return ids.length === 0 ? undefined : draws.hands.pick(ids);
}
