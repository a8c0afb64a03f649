// The largest events that rows can make: by the bounds of each value, and by a group of 500 items with all that can be
// included.
import { cutText } from '../../shared/comparing/project-group.ts';
import { projectIncluded } from '../../shared/comparing/project-included.ts';
import type { EntityEvent } from '../../shared/contract/event.ts';
import { MINUTE } from '../../shared/instant.ts';
import { MAX_CODE_CHARACTERS, MAX_CONTEXT_CHARACTERS, MAX_ID_LIST_CHARACTERS } from '../../shared/limits.ts';
import { INCLUDABLE, readIncluded } from '../../shared/returns-service/read-included.ts';
import { aRow, type Row, read, take } from '../shared/comparing/a-reading.ts';

/** Those that become longest: six bytes for each unit in JSON, nine in a subject. */
const CHARACTERS = ['\uffff', '\u{1f600}'];

/** A row whose texts and lists are as long as reading allows, and all of whose values depend on `first`. */
function rowOfLongestValues(character: string, first: string) {
  const text = (characters: number) => `${first}${character.repeat(characters)}`.slice(0, characters);
  const code = text(MAX_CODE_CHARACTERS);
  const name = `${first}${character.repeat(2 * MAX_CONTEXT_CHARACTERS)}`;
  const bag = () => ({
    shop_money: { amount: -1.234_567_890_123_456e-300, currency_code: code },
    presentment_money: { amount: -1.234_567_890_123_456e-300, currency_code: code },
  });
  const offset = first.charCodeAt(0);
  const numbers = Array.from(
    { length: Math.floor(MAX_ID_LIST_CHARACTERS / 19) },
    (_, index) => 2 ** 53 - 1 - offset - index,
  );
  const shipment = {
    ...{ type: 'shipment', id: 2 ** 53 - 2, status: text(100), carrier: code, tracking_number: code },
    ...{ created_at: code, shipped_at: code, delivered_at: code, return_ids: numbers },
  };
  const named = {
    product_name: name,
    variant_name: name,
    product_platform_id: code,
    variant_platform_id: code,
  };
  const item = {
    ...{ type: 'return_line_item', id: 2 ** 53 - 3, platform_id: code, created_at: code, status: text(100) },
    ...{ shipment_id: 2 ** 53 - 4 - offset, platform_line_item_id: code, ...named, sku: code, barcode: code },
    ...{ quantity: 2 ** 53 - 5, return_reason_details: { value: name, label: name }, total: bag() },
    ...{ last_rma_number: code, last_rma_provider: code },
    platform_refund_transaction_ids: Array.from(
      { length: Math.floor(MAX_ID_LIST_CHARACTERS / (MAX_CODE_CHARACTERS + 3)) },
      (_, index) => `${first}${String.fromCharCode(65 + index)}${code}`.slice(0, MAX_CODE_CHARACTERS),
    ),
  };
  const exchange = {
    ...{ type: 'exchange_line_item', id: character.repeat(200).slice(0, 200), status: text(100), ...named },
    ...{ line_item_platform_id: code, sku: code, quantity: 2 ** 53 - 5, total: bag() },
  };
  return aRow((row) => {
    Object.assign(row, {
      ...{ return_method: code, credit_method: code, return_outcome: code, shipments: [shipment] },
      ...{ returns: [item], exchange_line_items: [exchange] },
      refund_transactions: [{ type: 'refund_transaction', platform_id: code, amount: bag(), gateway: code }],
      order: { type: 'order', id: 2 ** 53 - 6, name, platform_id: code },
    });
  });
}

function longestValues(character: string): EntityEvent[] {
  const name = cutText(character.repeat(2 * MAX_CONTEXT_CHARACTERS));
  const customer = { name, email: name, phone: name };
  const [before, after] = ['a', 'b'].map((first) => rowOfLongestValues(character, first));
  const first = take(undefined, read(before, 0, { customer }));
  const second = take(first.snapshot, read(after, 10 * MINUTE, { customer }));
  return [...first.events, ...second.events];
}

const ITEMS = 500;

/** The longest text: in JSON for SQS each of these characters takes twelve bytes. */
const TEXT = '👟'.repeat(MAX_CONTEXT_CHARACTERS);
/** The longest code: in JSON each of these characters takes six bytes. */
const code = (at: number) => `${at}`.padStart(MAX_CODE_CHARACTERS, '\u0001');
const CUSTOMER = { name: TEXT, email: TEXT, phone: TEXT };

function largestGroup(at: number): Row {
  return aRow((row) => {
    const [item] = row.returns;
    const [shipment] = row.shipments;
    const [exchange] = row.exchange_line_items;
    if (!item || !shipment || !exchange) return;
    const product = {
      ...{ product_name: TEXT, variant_name: TEXT, sku: code(at), barcode: code(at) },
      ...{ product_platform_id: code(at), variant_platform_id: code(at), platform_line_item_id: code(at) },
    };
    const reason = { ...item.return_reason_details, value: TEXT, label: TEXT };
    row.order = { ...row.order, name: TEXT, platform_id: code(0), tags: Array(500).fill(TEXT) };
    row.returns = Array.from({ length: ITEMS }, (_, index) => ({
      ...{ ...item, ...product, id: index + 1, platform_id: code(at), return_reason_details: reason },
      ...{ status: 'x'.repeat(99) + at, last_rma_number: code(at), last_rma_provider: code(at) },
      platform_refund_transaction_ids: Array.from({ length: 5 }, (_, n) => code(at + n)),
    })) as Row['returns'];
    const address = { address1: TEXT, city: code(1), province: code(1), zip: '', country: code(1) };
    row.shipments = [
      {
        ...{ ...shipment, status: 'y'.repeat(99) + at, carrier: code(at), tracking_number: code(at) },
        ...{ shipped_at: code(at), delivered_at: code(at), destination_address: address },
        return_ids: row.returns.slice(at).map(({ id }) => id + at),
      },
    ];
    row.exchange_line_items = [{ ...exchange, ...product, line_item_platform_id: code(at) }];
  });
}

function ofTheLargestGroup(): EntityEvent[] {
  const included = projectIncluded(readIncluded(largestGroup(1), INCLUDABLE));
  const more = { customer: CUSTOMER, included };
  const first = take(undefined, read(largestGroup(0), 0, more));
  const second = take(first.snapshot, read(largestGroup(1), 2 * MINUTE, more));
  const byType = new Map([...first.events, ...second.events].map((event) => [event.type, event]));
  return [...byType.values()];
}

/** Each has an id of its own. */
export function largestEvents(): EntityEvent[] {
  const sets = [...CHARACTERS.map(longestValues), ofTheLargestGroup()];
  return sets.flatMap((events, index) => events.map((event) => ({ ...event, id: `${event.id}${index}` })));
}
