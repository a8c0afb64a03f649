import pc from 'picocolors';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createMoments } from '../../../local/cli/moments.ts';
import { createEventTable, describeChange } from '../../../local/feed/format-event.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { goldenEvent } from './golden-event.ts';

const colors = pc.createColors(false);
const NOW = Date.parse('2026-11-20T18:30:05+01:00');
const moments = createMoments({ zone: 'Europe/Berlin', now: () => NOW });
const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString();
const TERMINAL_WIDTH = 160;

function table(width: number | undefined = TERMINAL_WIDTH) {
  return createEventTable({ colors, moments, width: () => width });
}

/** The table outside of a terminal. */
function pipedTable() {
  return createEventTable({ colors, moments, width: () => undefined });
}

function delivered(changes: Partial<FeedEvent> = {}): FeedEvent {
  const event = goldenEvent('shipment.status_changed');
  const object = { ...event.data.object, delivered_at: ago(65_000) };
  return { ...event, time: ago(2_340), data: { ...event.data, object }, ...changes } as FeedEvent;
}

/** A shipment; two long fields changed together with its status. */
function shipped(): FeedEvent {
  const event = goldenEvent('shipment.status_changed');
  const previous_attributes = { status: 'CREATED', carrier: null, tracking_number: null };
  return { ...event, time: ago(1_000), data: { ...event.data, previous_attributes } };
}

test('a row shows the time of arrival, the delay, the entity and the change', () => {
  const row = table().row(delivered());

  expect(row).toBe(
    '18:30:05   2.3 s  184467 #185467  shipment 1844670       IN_TRANSIT → DELIVERED, delivered_at – → 18:29:00',
  );
});

test('a row escapes control characters, and stays one line', () => {
  const event = goldenEvent('shipment.status_changed');
  const { return_group } = event.data;
  const bad = 'UPS\u001b[2J\n\u202eDHL';
  const data = {
    ...event.data,
    object: { ...event.data.object, carrier: bad, status: bad },
    previous_attributes: { carrier: bad, status: 'IN_TRANSIT' },
    return_group: { ...return_group, order: { ...return_group.order, name: bad } },
  };
  const changed = { ...event, data } as FeedEvent;

  const rows = [pipedTable(), table(80), table(120)].map((events) => events.row(changed));

  for (const row of rows) {
    expect(row).toContain('UPS\\x1b[2J\\n\\u202eDHL');
    expect(row.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  }
  expect(rows[0]).not.toContain('\n');
  expect(describeChange(changed, moments)).not.toMatch(/[\p{Cc}\u202e]/u);
});

test('the header is aligned with the columns', () => {
  const events = table();
  const [row, header] = [events.row(delivered()), events.header()];

  const places = ['time', 'return', 'what', 'change'].map((name) => header.indexOf(name));

  expect(places).toEqual(['18:30', '184467', 'shipment', 'IN_TRANSIT'].map((text) => row.indexOf(text)));
});

test('columns stay aligned behind wide letters and emoji', () => {
  const event = delivered();
  const named = (name: string) =>
    ({ ...event, data: { ...event.data, return_group: { id: 184467, order: { name } } } }) as FeedEvent;
  const events = table();
  events.row(named('#返品👟カード-1'));

  const rows = ['#185467', '#返品-1', '#👟 1'].map((name) => events.row(named(name)));

  const starts = rows.map((row) => stringWidth(row.slice(0, row.indexOf('shipment'))));
  expect(new Set(starts).size).toBe(1);
});

test('a column grows with its content, also for later rows', () => {
  const exchange = goldenEvent('exchange_line_item.created');
  const long = { ...exchange.data.object, id: 'exl_0123456789_0123456789' };
  const events = table();

  const first = events.row({ ...exchange, data: { ...exchange.data, object: long } });
  const second = events.row(delivered());

  expect(second.indexOf('IN_TRANSIT')).toBe(first.indexOf('new'));
});

test('text that does not fit a narrow terminal continues below the return', () => {
  const row = table(80).row(shipped());

  expect(row.split('\n')).toEqual([
    '18:30:05   1.0 s  184467 #185467  shipment 1844670       CREATED → DELIVERED,',
    '                  carrier – → UPS, tracking_number – → 1Z999AA11844670',
  ]);
});

test('text that does not fit a wide terminal continues below the change', () => {
  const row = table(110).row(shipped());

  expect(row.split('\n')).toEqual([
    '18:30:05   1.0 s  184467 #185467  shipment 1844670       CREATED → DELIVERED, carrier – → UPS,',
    '                                                         tracking_number – → 1Z999AA11844670',
  ]);
});

test('no line is wider than the terminal, nor ends with spaces', () => {
  const event = goldenEvent('shipment.status_changed');
  const object = { ...event.data.object, tracking_number: '9'.repeat(200) };
  const previous_attributes = { tracking_number: null };
  const long: FeedEvent = { ...event, data: { ...event.data, object, previous_attributes } };

  for (const width of [60, 80, 99, 100, 120]) {
    const lines = table(width).row(long).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines).toEqual(lines.map((line) => line.trimEnd()));
  }
});

test('a long return and a long id continue on lines of their own, and do not move the columns of other rows', () => {
  const exchange = goldenEvent('exchange_line_item.created');
  const { return_group } = exchange.data;
  const order = { ...return_group.order, name: '#MARKETPLACE-2026-11-000123' };
  const object = { ...exchange.data.object, id: 'exl_0123456789_0123456789' };
  const long = {
    ...exchange,
    time: ago(1_000),
    data: { ...exchange.data, object, return_group: { ...return_group, order } },
  };
  const events = table(60);

  const [first, second] = [events.row(long), events.row(delivered())];

  expect(first.split('\n')).toEqual([
    '18:30:05   1.0 s  184467 #MARKETPLACE-2026-11-000123',
    '                  exchange exl_0123456789_0123456789',
    '                  new, UNPROCESSED',
  ]);
  expect(second.split('\n')[0]).toBe('18:30:05   2.3 s  184467 #185467  shipment 1844670');
});

test('a row outside of a terminal has its date, and the header names the zone', () => {
  const events = pipedTable();

  const [header, row] = [events.header(), events.row(delivered())];

  expect(header).toMatch(/^time {18}after {2}return .*change \(times in Europe\/Berlin, now UTC\+01:00\)$/);
  expect(row).toMatch(/^2026-11-20 18:30:05 {3}2\.3 s {2}184467 #185467 .*delivered_at – → 18:29:00$/);
});

test('outside a terminal, and in a very narrow one, an event is one line', () => {
  const rows = [pipedTable(), table(40)].map((events) => events.row(shipped()));

  expect(rows.every((row) => !row.includes('\n'))).toBe(true);
});

test('a stamp of another day is shown with its day, and one without a zone unchanged', () => {
  const { data, ...event } = goldenEvent('shipment.status_changed');
  const before = '2026-11-19T06:08:09Z';
  const previous_attributes = { shipped_at: before, delivered_at: '2026-11-20T18:29:00.123' };
  const object = { ...data.object, shipped_at: null, delivered_at: 'soon' };

  const row = table().row({ ...event, data: { ...data, object, previous_attributes } } as FeedEvent);

  expect(row).toContain('shipped_at 2026-11-19 07:08:09 → –, delivered_at 2026-11-20T18:29:00 → soon');
});

test('an amount, a list and an empty field are readable', () => {
  const refund = table().row(goldenEvent('refund_transaction.created'));
  const shipment = goldenEvent('shipment.updated');
  const object = { ...shipment.data.object, return_ids: [5512, 5513] };
  const previous_attributes = { return_ids: [] };

  const list = table().row({ ...shipment, data: { ...shipment.data, object, previous_attributes } });

  expect(refund).toMatch(/ {2}refund +new, 49.9 EUR$/);
  expect(list).toMatch(/return_ids – → 5512 5513$/);
});

test('a group is shown by its id, like a group with an order without a name', () => {
  const event = goldenEvent('return_group.removed');
  const { return_group: group } = event.data;
  const unnamed = { ...group, order: { ...group.order, name: null } };

  const row = table().row({ ...event, data: { ...event.data, return_group: unnamed } });

  expect(row).toMatch(/ {2}184467 {8}return +removed$/);
});

test('an event of the feed itself is shown by its type', () => {
  const event = {
    type: 'feed.baseline_completed',
    time: ago(0),
    data: { generation: 'mi8x2k', sequence: 1, object: { type: 'baseline' } },
  } as FeedEvent;

  const row = table().row(event);

  expect(row).toBe('18:30:05          feed.baseline_completed');
});
