// Formats a probe's report as text: one entry for each finding, with its meaning for the feed where it has one.
import { PAGE_LIMIT } from '../../shared/limits.ts';
import type {
  BoundsFound,
  LookUpFound,
  OrderFound,
  PageFound,
  ProbeReport,
} from '../../shared/probing/probe-service.ts';
import type { RowsFound, StampsFound } from '../../shared/probing/read-rows.ts';
import { FEWEST_ROWS } from '../../shared/reading/room.ts';
import { counted } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { formatEntry } from '../cli/entries.ts';

/** In place of a finding; the reason follows at the end. */
const NOT_ANSWERED = 'not answered';
/** `--json` prints all of them. */
const UNLISTED_SHOWN = 8;
/** About the precision of a Date, which is cut to the second. */
const SAME_TIME_MS = 2_000;

/** @param width of the lines, in columns */
export function formatProbe(host: string, report: ProbeReport, width?: number): string[] {
  const { requests, answers, page, order, stamps, bounds, lookUp, rows, unlisted, unanswered } = report;
  const lines = [`returns service at ${host}, after ${counted(requests, 'request')}`];
  const add = (label: string, ...texts: readonly string[]) => lines.push(...formatEntry(label, texts, width));
  add('answers', `take ${formatDuration(answers.requestMs, 2)}; ${describeDate(answers)}`);
  add('page', describePage(page));
  add('order', order === null ? NOT_ANSWERED : describeOrder(order));
  add('stamps', stamps === null ? NOT_ANSWERED : describeStamps(stamps));
  add('updated_at', describeBounds(bounds.updated));
  add('created_at', describeBounds(bounds.created));
  add('look-up', lookUp === null ? NOT_ANSWERED : describeLookUp(lookUp));
  add('groups', ...describeRows(rows));
  if (unlisted.length > 0) {
    const more = unlisted.length - UNLISTED_SHOWN;
    add('unlisted', `${unlisted.slice(0, UNLISTED_SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
  }
  for (const reason of new Set(unanswered.map((each) => each.reason))) {
    const questions = unanswered.filter((each) => each.reason === reason);
    add(NOT_ANSWERED, `${questions.map(({ question }) => question).join(', ')}: ${reason}`);
  }
  return lines;
}

function describeDate({ haveDate, clockAheadMs }: ProbeReport['answers']): string {
  if (!haveDate || clockAheadMs === null) return 'have no Date: each process uses its own clock';
  if (Math.abs(clockAheadMs) <= SAME_TIME_MS) return 'have a Date that agrees with the clock here';
  const ahead = formatDuration(Math.abs(clockAheadMs));
  return `have a Date: the clock here is ${ahead} ${clockAheadMs > 0 ? 'ahead' : 'behind'}`;
}

function describePage({ byDefault, most, beyond, refused, groups }: PageFound): string {
  const usual = byDefault === null ? '' : `${byDefault} rows by default; `;
  if (groups !== null) return `${usual}all ${groups} groups fit on one page`;
  if (most === null) return `${usual}the maximum is unknown`;
  if (beyond === null) return `${usual}at least ${most} rows; the feed requests ${PAGE_LIMIT}`;
  const small =
    most < FEWEST_ROWS
      ? `; fewer than ${FEWEST_ROWS}: the feed takes full pages for complete ones and misses changes`
      : '';
  const largest =
    beyond === 'refused'
      ? `${most} rows are returned, ${refused} are refused`
      : `at most ${most} rows, whatever the limit`;
  return `${usual}${largest}${small}`;
}

function describeOrder({ by, isSameTwice, pagesFit }: OrderFound): string {
  const sorted = by.length === 0 ? 'not by a timestamp or the id' : by.join(', ');
  const twice = isSameTwice ? 'the same twice' : 'not the same twice: the list changed, or has no order';
  const fit =
    pagesFit === null
      ? ''
      : pagesFit
        ? '; neighbouring pages join'
        : '; neighbouring pages do not join, or the list changed meanwhile';
  return `${sorted}; ${twice}${fit}`;
}

function describeStamps({ haveZone, digits, newestAheadMs }: StampsFound): string {
  const zone = haveZone ? 'with a zone' : 'without a zone';
  const precision = digits === 0 ? 'whole seconds' : `${digits} digits of a second`;
  if (newestAheadMs === null) return `${zone}, ${precision}`;
  if (Math.abs(newestAheadMs) <= SAME_TIME_MS)
    return `${zone}, ${precision}; the newest equals its answer's Date`;
  const distance = formatDuration(Math.abs(newestAheadMs));
  const side = newestAheadMs > 0 ? 'after' : 'before';
  return `${zone}, ${precision}; the newest is ${distance} ${side} its answer's Date`;
}

function describeBounds(bounds: BoundsFound | null): string {
  if (bounds === null) return NOT_ANSWERED;
  const { min, max } = bounds;
  if (min === 'refused' && max === 'refused') return 'bounds in the format of the timestamps are refused';
  if (min === 'unclear') return 'a group is missing from a range of seconds around its own timestamp';
  return `min_… ${min}, max_… ${max}: groups with exactly that timestamp`;
}

function describeLookUp({ known, unknown }: LookUpFound): string {
  return `by return_group_id: a known group is ${known}; an unknown one is answered ${unknown}`;
}

function describeRows({ groups, unreadable, olderThanTheirParts }: RowsFound): string[] {
  const bad = unreadable.map(
    ({ reason, groups: many }) => `${counted(many, 'group')} can't be read: ${reason}`,
  );
  const seen = `${counted(groups, 'group')} seen`;
  // Groups that can't be read show nothing about their shipments.
  if (groups === unreadable.reduce((sum, { groups: many }) => sum + many, 0)) return [seen, ...bad];
  const older =
    olderThanTheirParts === 0
      ? 'no shipment is newer than its group: polls may find changes of shipments'
      : `in ${olderThanTheirParts} a shipment is newer than updated_at: only reconciliation finds that`;
  return [`${seen}; ${older}`, ...bad];
}
