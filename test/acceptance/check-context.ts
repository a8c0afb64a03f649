// Checks what an event shows beside its entity: the items on a shipment, the shipment of an item.
import { agrees } from './agreeing.ts';
import type { Evidence, Report } from './evidence.ts';
import type { EntityHistory, Fields } from './history.ts';
import type { OutsideEvent } from './printed-event.ts';
import { show } from './show.ts';

const ITEM = ['sku', 'barcode', 'product_name', 'variant_name', 'quantity', 'status'];
const SHIPMENT = ['status', 'carrier', 'tracking_number'];

export function checkContext(
  event: OutsideEvent,
  histories: ReadonlyMap<string, EntityHistory>,
  evidence: Evidence,
  report: Report,
): void {
  const group = `return-groups/${event.groupId}`;
  const wasShown = (folder: string, names: readonly string[], shown: Fields) => {
    const states = histories.get(`${group}/${folder}/${shown.id}`)?.states ?? [];
    return states.some(
      ({ fields, shownFrom }) =>
        fields &&
        shownFrom <= event.by + CLOCK_SLACK_MS &&
        names.every((name) => agrees(shown[name], fields[name], name)),
    );
  };
  if (event.kind === 'shipment') checkItems();
  if (event.kind === 'return_line_item') checkShipment();

  function checkItems(): void {
    const { items = [], itemsTotal = -1 } = event;
    for (const item of items) {
      if (!wasShown('return-line-items', ITEM, item))
        report('true', `${event.id}: an item on it is ${show(item)}`);
    }
    const named = (event.object.return_ids ?? []) as readonly unknown[];
    if (itemsTotal < new Set([...named, ...items.map(({ id }) => id)]).size)
      report('true', `${event.id}: items_total is ${itemsTotal}, and it names more`);
    if (items.length >= 50) return;
    const present = evidence.histories.filter(
      ({ groupId, kind, states }) =>
        groupId === event.groupId && kind === 'return_line_item' && states.every(({ fields }) => fields),
    );
    const always = present.flatMap(({ states: [first] }) =>
      first?.shownFrom === 0 && named.includes(first.fields?.id) ? [first.fields?.id] : [],
    );
    for (const id of always) {
      if (!items.some((item) => item.id === id)) report('true', `${event.id}: its items lack ${show(id)}`);
    }
  }

  function checkShipment(): void {
    const { shipment, object } = event;
    if (shipment === null) return;
    if (shipment === undefined || !wasShown('shipments', SHIPMENT, shipment))
      return void report('true', `${event.id}: its shipment is ${show(shipment)}`);
    const isKnown = histories.has(`${group}/shipments/${object.shipment_id}`);
    if (isKnown && shipment.id !== object.shipment_id)
      report('true', `${event.id}: its shipment is ${show(shipment.id)}, not ${show(object.shipment_id)}`);
  }
}

/** A `Date` header has whole seconds, and a feed may use the service's clock for its times. */
const CLOCK_SLACK_MS = 1000;
