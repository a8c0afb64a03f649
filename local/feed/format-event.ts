// Formats an event as a row of a table: the time it arrived, the delay after the change, the return, and what changed
// from what to what. On a terminal a long row continues on further lines, below the change. Elsewhere a row is always
// one line, so that it can be searched.
import pc from 'picocolors';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { parseStamp } from '../../shared/instant.ts';
import { formatDuration } from '../cli/durations.ts';
import { printable } from '../cli/printable.ts';
import { type Part, wrapParts } from './wrap-parts.ts';

type Colors = ReturnType<typeof pc.createColors>;

export interface EventTable {
  /** The names of the columns, aligned with the lines. */
  header(): string;
  /** @param now milliseconds since the epoch */
  row(event: FeedEvent, now: number): string;
}

export interface EventTableOptions {
  readonly colors: Colors;
  /** Columns of the terminal, called for each row; undefined if lines may have any length. */
  readonly width: () => number | undefined;
}

const TIME_WIDTH = 8;
const AFTER_WIDTH = 6;
/** On a narrower terminal rows are not wrapped: the terminal breaks them itself. */
const NARROWEST = 60;
/** From this width on, further lines may align with the column of the change. */
const ROOMY = 100;

export function createEventTable({ colors, width }: EventTableOptions): EventTable {
  // Usual texts fit these widths. A longer text widens its column for all later rows.
  const widest = { place: 12, subject: 21 };

  function indents() {
    const place = TIME_WIDTH + AFTER_WIDTH + 4;
    return { place, change: place + widest.place + widest.subject + 4 };
  }

  function lead(time: string, after: string, place: string, subject: string): string {
    widest.place = Math.max(widest.place, place.length);
    widest.subject = Math.max(widest.subject, subject.length);
    const [start, middle] = [`${time.padEnd(TIME_WIDTH)}  ${after.padStart(AFTER_WIDTH)}`, place];
    return `${colors.dim(`${start}  ${middle.padEnd(widest.place)}`)}  ${subject.padEnd(widest.subject)}  `;
  }

  return {
    header: () => colors.dim(lead('time', 'after', 'return', 'what').concat('change')),
    row(event, now) {
      const time = timeOfDay(now);
      if (!('return_group' in event.data))
        return `${colors.dim(time.padEnd(TIME_WIDTH + AFTER_WIDTH + 4))}${colors.bold(printable(event.type))}`;
      const { id, order } = event.data.return_group;
      const after = formatDuration(now - Date.parse(event.time), 1);
      const start = lead(
        time,
        after,
        order.name === null ? `${id}` : `${id} ${printable(order.name)}`,
        nameOf(event),
      );
      const parts = formatChange(event, now, colors);
      const columns = width() ?? 0;
      if (columns < NARROWEST) return start + parts.map(({ styled }) => styled).join(', ');
      const { place, change } = indents();
      const fitsBelow = parts.every(({ plain }) => change + plain.length < columns);
      const lines = wrapParts(parts, columns, change, columns >= ROOMY && fitsBelow ? change : place);
      return `${lines.startsWith('\n') ? start.trimEnd() : start}${lines}`;
    },
  };
}

const NAMES: Readonly<Record<string, string>> = {
  return_line_item: 'item',
  shipment: 'shipment',
  exchange_line_item: 'exchange',
  refund_transaction: 'refund',
  return_group: 'return',
};

/** The kind and id of the event's object. A return's id is omitted: the column before shows it. */
export function nameOf({ type, data: { object } }: FeedEvent): string {
  const name = NAMES[type.split('.')[0] ?? ''] ?? type;
  return printable('id' in object && object.type !== 'return_group' ? `${name} ${object.id}` : name);
}

/** What changed from what to what, on one line. @param now milliseconds since the epoch */
export function describeChange(event: FeedEvent, now: number): string {
  const parts = formatChange(event, now, pc.createColors(false));
  return parts.map(({ plain }) => plain).join(', ');
}

function formatChange({ type, data }: FeedEvent, now: number, colors: Colors): Part[] {
  const object = data.object as unknown as Readonly<Record<string, unknown>>;
  if (type.endsWith('.removed')) return [part('removed', colors.red)];
  if (!('previous_attributes' in data)) {
    const first = [object.status, object.amount].find((value) => value !== undefined && value !== null);
    return [
      part('new', colors.green),
      ...(first === undefined ? [] : [part(printable(show(first, now)), colors.bold)]),
    ];
  }
  const fields = Object.entries(data.previous_attributes as Readonly<Record<string, unknown>>);
  return fields.map(([field, before]) => {
    const from = printable(`${field === 'status' ? '' : `${field} `}${show(before, now)} → `);
    const to = printable(show(object[field], now));
    return { plain: from + to, styled: from + colors.bold(to) };
  });
}

function part(plain: string, style: (text: string) => string): Part {
  return { plain, styled: style(plain) };
}

function show(value: unknown, now: number): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(' ');
  if (typeof value === 'object') return showMoney(value as Readonly<Record<string, unknown>>);
  return typeof value === 'string' ? showStamp(value, now) : String(value);
}

/** A timestamp in the time zone of the `time` column, without the date if it is today; any other text unchanged. */
function showStamp(text: string, now: number): string {
  const stamp = parseStamp(text);
  if (stamp === undefined) return text;
  // A timestamp without a zone can't be converted.
  if (!stamp.zoned) return text.slice(0, 19).replace('T', ' ');
  const moment = stamp.instant / 1_000;
  const day = dayOf(moment);
  return day === dayOf(now) ? timeOfDay(moment) : `${day} ${timeOfDay(moment)}`;
}

function showMoney({ shop_money, presentment_money }: Readonly<Record<string, unknown>>): string {
  const money = (shop_money ?? presentment_money) as { amount: number; currency_code: string } | null;
  return money === null ? '–' : `${money.amount} ${money.currency_code}`;
}

function timeOfDay(milliseconds: number): string {
  return new Date(milliseconds).toTimeString().slice(0, 8);
}

function dayOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  const digits = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
}
