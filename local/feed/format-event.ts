// An event in one line: when it arrived, what it is about, what changed from what to what, and how long after.
import type pc from 'picocolors';
import type { FeedEvent } from '../../shared/contract/event.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** @param now milliseconds since the epoch */
export function formatEvent(event: FeedEvent, now: number, colors: Colors): string {
  const time = new Date(now).toTimeString().slice(0, 8);
  if (!('return_group' in event.data)) return `${colors.dim(time)}  ${colors.bold(event.type)}`;
  const { return_group: group } = event.data;
  const subject = nameOf(event);
  const order = group.order.name === null ? '' : ` ${group.order.name}`;
  const place = colors.dim(`return ${group.id}${order}`);
  const lag = colors.dim(`+${formatLag(now - Date.parse(event.time))}`);
  return `${colors.dim(time)}  ${subject.padEnd(28)} ${tellChange(event, colors)}  ${place}  ${lag}`;
}

const NAMES: Readonly<Record<string, string>> = {
  return_line_item: 'return item',
  shipment: 'shipment',
  exchange_line_item: 'exchange',
  refund_transaction: 'refund',
  return_group: 'return',
};

function nameOf({ type, data: { object } }: FeedEvent): string {
  const name = NAMES[type.split('.')[0] ?? ''] ?? type;
  return 'id' in object ? `${name} ${object.id}` : name;
}

function tellChange({ type, data }: FeedEvent, colors: Colors): string {
  const object = data.object as unknown as Readonly<Record<string, unknown>>;
  if (type.endsWith('.removed')) return colors.red('removed');
  if (!('previous_attributes' in data)) {
    return `${colors.green('new')}${typeof object.status === 'string' ? `, ${colors.bold(object.status)}` : ''}`;
  }
  const fields = Object.entries(data.previous_attributes as Readonly<Record<string, unknown>>);
  const told = fields.map(([field, before]) => {
    const change = `${show(before)} → ${colors.bold(show(object[field]))}`;
    return field === 'status' ? change : `${field} ${change}`;
  });
  return told.join(', ');
}

function show(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(' ');
  return String(value);
}

function formatLag(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 100) return `${seconds.toFixed(1)} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return seconds < 360_000 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
