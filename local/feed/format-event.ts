// Formats an event as a row of a table: the time it arrived, the delay after the change, the return, and what changed
// from what to what. On a terminal a long row continues on further lines, below the change or, on a narrow one, the
// return. Elsewhere a row is always one line with its date, so that it can be searched, and the header names the time
// zone.
import pc from 'picocolors';
import stringWidth from 'string-width';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { parseEventId } from '../../shared/contract/event-id.ts';
import { formatDuration } from '../cli/durations.ts';
import type { Colors } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { cutTo, padTo, wrap } from '../cli/wrap.ts';
import { showValue } from './show-value.ts';

export interface EventTable {
  /** The names of the columns, aligned with the lines. */
  header(): string;
  row(event: FeedEvent): string;
}

export interface EventTableOptions {
  readonly colors: Colors;
  readonly moments: Moments;
  /** Columns of the terminal, called for each row; undefined outside of a terminal. */
  readonly width: () => number | undefined;
  /** Whether events come from several sources, so that each return is shown with its own. @default false */
  readonly namesSources?: boolean;
}

const AFTER_WIDTH = 6;
/** On a narrower terminal rows are not wrapped: the terminal breaks them itself. */
const NARROWEST = 60;
/** From this width on, further lines may align with the column of the change. */
const ROOMY = 100;

export function createEventTable({
  colors,
  moments,
  width,
  namesSources = false,
}: EventTableOptions): EventTable {
  // Usual texts fit these widths. A longer text widens its column for all later rows.
  const widest = { place: 12, subject: 21 };
  const isTerminal = width() !== undefined;
  const timeOf = isTerminal ? moments.time : moments.full;
  const timeWidth = timeOf(0).length;
  const placeColumn = timeWidth + AFTER_WIDTH + 4;

  function lead({ time, after, place, subject }: Lead): string {
    widest.place = Math.max(widest.place, stringWidth(place));
    widest.subject = Math.max(widest.subject, stringWidth(subject));
    const start = `${time.padEnd(timeWidth)}  ${after.padStart(AFTER_WIDTH)}  ${padTo(place, widest.place)}`;
    return `${colors.dim(start)}  ${padTo(subject, widest.subject)}  `;
  }

  /** Whether the table's columns, widened for this row, fit a terminal of this width. */
  function fits({ place, subject }: Lead, columns: number): boolean {
    const width = Math.max(widest.place, stringWidth(place)) + Math.max(widest.subject, stringWidth(subject));
    return placeColumn + width + 4 <= columns;
  }

  /** A row that does not widen the columns: what does not fit continues below the return. */
  function narrowRow(row: Lead, changes: readonly string[], columns: number): string {
    const { time, after, place, subject } = row;
    const room = columns - placeColumn;
    const start = colors.dim(
      `${time.padEnd(timeWidth)}  ${after.padStart(AFTER_WIDTH)}  ${cutTo(place, room)}`,
    );
    const isBeside = stringWidth(place) + 2 + stringWidth(subject) <= room;
    const what = isBeside ? `  ${subject}` : `\n${' '.repeat(placeColumn)}${cutTo(subject, room)}`;
    return `${start}${what}${wrapChanges(changes, columns, columns, placeColumn)}`;
  }

  return {
    header() {
      const names = lead({ time: 'time', after: 'after', place: 'return', subject: 'what' }).concat('change');
      const columns = width();
      return colors.dim(
        columns === undefined ? `${names} (times in ${moments.zone})` : cutTo(names, columns).trimEnd(),
      );
    },
    row(event) {
      const now = moments.now();
      const time = timeOf(now);
      if (!('return_group' in event.data))
        return `${colors.dim(time.padEnd(placeColumn))}${colors.bold(printable(event.type))}${skippedIn(event)}`;
      const { id } = event.data.return_group;
      const order = orderNameOf(event);
      const after = formatDuration(now - Date.parse(event.time), 1);
      const known = order === null ? `${id}` : `${id} ${printable(order)}`;
      const place = namesSources ? `${parseEventId(event.id)?.source} ${known}` : known;
      const row = { time, after, place, subject: nameOf(event) };
      const changes = formatChange(event, moments, colors);
      const columns = width() ?? 0;
      if (columns < NARROWEST) return lead(row) + changes.join(', ');
      if (!fits(row, columns)) return narrowRow(row, changes, columns);
      const start = lead(row);
      const change = placeColumn + widest.place + widest.subject + 4;
      const fitsBelow = changes.every((each) => change + stringWidth(each) < columns);
      const indent = columns >= ROOMY && fitsBelow ? change : placeColumn;
      const lines = wrapChanges(changes, columns, change, indent);
      return `${lines.startsWith('\n') ? start.trimEnd() : start}${lines}`;
    },
  };
}

/** For instance `: event 5 of return 184467, for http://127.0.0.1:3000/hook`. */
function skippedIn({ data: { object } }: FeedEvent): string {
  if (object.type !== 'skipped_events') return '';
  const { destination, return_group_id: group, from_sequence: from, to_sequence: to } = object;
  const numbers = from === to ? `event ${from}` : `events ${from} to ${to}`;
  return printable(`: ${numbers} of return ${group}, for ${destination}`);
}

interface Lead {
  readonly time: string;
  readonly after: string;
  readonly place: string;
  readonly subject: string;
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

/** The name of the return's order; null if it has none, or is forgotten. */
export function orderNameOf({ data }: FeedEvent): string | null {
  return 'return_group' in data && 'order' in data.return_group ? data.return_group.order.name : null;
}

/** Describes the changed fields with their previous and new values, on one line. */
export function describeChange(event: FeedEvent, moments: Moments): string {
  return formatChange(event, moments, pc.createColors(false)).join(', ');
}

function formatChange({ type, data }: FeedEvent, moments: Moments, colors: Colors): string[] {
  const object = data.object as unknown as Readonly<Record<string, unknown>>;
  if (type.endsWith('.removed')) return [colors.red('removed')];
  if (type.endsWith('.forgotten')) return [colors.red('forgotten')];
  if (!('previous_attributes' in data)) {
    const first = [object.status, object.amount].find((value) => value !== undefined && value !== null);
    return [
      colors.green('backfill' in data ? 'existing' : 'new'),
      ...(first === undefined ? [] : [colors.bold(printable(showValue(first, moments)))]),
    ];
  }
  const fields = Object.entries(data.previous_attributes as Readonly<Record<string, unknown>>);
  return fields.map(([field, before]) => {
    const from = printable(`${field === 'status' ? '' : `${field} `}${showValue(before, moments)} → `);
    const to = printable(showValue(object[field], moments));
    return from + colors.bold(to);
  });
}

/**
 * Changes are not broken, but one that is longer than a line is cut.
 *
 * @param used columns of the first line that are already used
 * @param indent columns before each further line
 */
function wrapChanges(changes: readonly string[], width: number, used: number, indent: number): string {
  const listed = changes.map((each, index) => (index < changes.length - 1 ? `${each},` : each));
  const [first = '', ...others] = wrap(listed, width - indent, width - used);
  return [first, ...others.map((line) => ' '.repeat(indent) + cutTo(line, width - indent))].join('\n');
}
