// What a probe found, for people: a line for each thing, and what it means for the feed where that is worth knowing.
import { PAGE_LIMIT, SHORT_PAGE_ROWS } from '../../shared/limits.ts';
import type {
  BoundsFound,
  LookUpFound,
  OrderFound,
  PageFound,
  ProbeReport,
} from '../../shared/probing/probe-service.ts';
import type { RowsFound, StampsFound } from '../../shared/probing/read-rows.ts';
import { formatDuration } from '../cli/durations.ts';
import { formatEntry } from '../cli/entries.ts';

/** The first few; `--json` has them all. */
const UNLISTED_SHOWN = 8;
/** To about what a Date, cut to the second, tells. */
const SAME_TIME_MS = 2_000;

export function formatProbe(host: string, report: ProbeReport): string[] {
  const { requests, answers, page, order, stamps, bounds, lookUp, rows, unlisted, leftOut } = report;
  const lines = [`returns service at ${host}, after ${count(requests, 'request')}`];
  const add = (label: string, ...texts: readonly string[]) => lines.push(...formatEntry(label, texts));
  add('answers', `take ${formatDuration(answers.requestMs, 2)}; ${describeDate(answers)}`);
  add('page', describePage(page));
  add('order', order === null ? 'too few groups to tell' : describeOrder(order));
  add('stamps', stamps === null ? 'no group to tell by' : describeStamps(stamps));
  add('updated_at', describeBounds(bounds.updated));
  add('created_at', describeBounds(bounds.created));
  add('look-up', lookUp === null ? 'not asked' : describeLookUp(lookUp));
  add('groups', ...describeRows(rows));
  if (unlisted.length > 0) {
    const more = unlisted.length - UNLISTED_SHOWN;
    add('unlisted', `${unlisted.slice(0, UNLISTED_SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
  }
  if (leftOut.length > 0) add('left out', `${leftOut.join(', ')}: no request was left`);
  return lines;
}

function describeDate({ haveDate, clockAheadMs }: ProbeReport['answers']): string {
  if (!haveDate || clockAheadMs === null) return 'have no Date: each process goes by its own clock';
  if (Math.abs(clockAheadMs) <= SAME_TIME_MS) return 'have a Date, the time here';
  const ahead = formatDuration(Math.abs(clockAheadMs));
  return `have a Date: the clock here is ${ahead} ${clockAheadMs > 0 ? 'ahead' : 'behind'}`;
}

function describePage({ byDefault, most, beyond, refused, groups }: PageFound): string {
  const usual = byDefault === null ? '' : `${byDefault} rows where no limit is asked for; `;
  if (groups !== null) return `${usual}all ${groups} groups fit one`;
  if (most === null) return `${usual}the largest is not known`;
  if (beyond === null) return `${usual}at least ${most} at once; the feed asks for ${PAGE_LIMIT}`;
  const small =
    most < SHORT_PAGE_ROWS ? `; fewer than ${SHORT_PAGE_ROWS}: polls take the proof of each end` : '';
  const largest =
    beyond === 'refused'
      ? `${most} at once are given, ${refused} are refused`
      : `${most} at most, whatever the limit`;
  return `${usual}${largest}${small}`;
}

function describeOrder({ by, isSameTwice, pagesFit }: OrderFound): string {
  const sorted = by.length === 0 ? 'by no stamp, nor by id' : by.join(', ');
  const twice = isSameTwice ? 'the same twice' : 'another one at once: it changed, or has no order';
  const fit =
    pagesFit === null ? '' : pagesFit ? '; pages fit' : '; pages do not fit, or it changed meanwhile';
  return `${sorted}; ${twice}${fit}`;
}

function describeStamps({ haveZone, digits, newestAheadMs }: StampsFound): string {
  const zone = haveZone ? 'with a zone' : 'without a zone';
  const precision = digits === 0 ? 'whole seconds' : `${digits} digits of a second`;
  if (newestAheadMs === null) return `${zone}, ${precision}`;
  if (Math.abs(newestAheadMs) <= SAME_TIME_MS)
    return `${zone}, ${precision}; the newest is as new as its answer's Date`;
  const distance = formatDuration(Math.abs(newestAheadMs));
  const side = newestAheadMs > 0 ? 'ahead of' : 'before';
  return `${zone}, ${precision}; the newest ${distance} ${side} its answer's Date`;
}

function describeBounds(bounds: BoundsFound | null): string {
  if (bounds === null) return 'not asked';
  const { min, max } = bounds;
  if (min === 'refused' && max === 'refused') return 'bounds are refused in the form that stamps have';
  if (min === 'unclear') return 'a group does not show within seconds of its own stamp';
  return `min_… ${min}, max_… ${max}: groups of that very stamp`;
}

function describeLookUp({ known, unknown }: LookUpFound): string {
  return `by return_group_id: a known group is ${known}; an unknown one is answered ${unknown}`;
}

function describeRows({ groups, unreadable, olderThanTheirParts }: RowsFound): string[] {
  const older =
    olderThanTheirParts === 0
      ? 'no shipment later than its group: nothing speaks against polls finding changes of shipments'
      : `in ${olderThanTheirParts} a shipment is later than their updated_at: such changes do not move it, and wait ` +
        'for reconciliation';
  const bad = unreadable.map(
    ({ reason, groups: many }) => `${count(many, 'group')} can't be read: ${reason}`,
  );
  return [`${count(groups, 'group')} seen; ${older}`, ...bad];
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
