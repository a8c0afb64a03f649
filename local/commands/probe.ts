// `probe`: measures how a returns service behaves where its document leaves that open.
import { Command, Option } from 'commander';
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { PAGE_LIMIT, REQUEST_TIMEOUT_MS } from '../../shared/limits.ts';
import { askWithin } from '../../shared/probing/ask-within.ts';
import {
  type BoundsFound,
  type LookUpFound,
  type OrderFound,
  type PageFound,
  type ProbeReport,
  probeService,
} from '../../shared/probing/probe-service.ts';
import type { RowsFound, StampsFound } from '../../shared/probing/read-rows.ts';
import { FEWEST_ROWS } from '../../shared/reading/room.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import { counted } from '../cli/counts.ts';
import { formatDuration, parseCount, parseDuration } from '../cli/durations.ts';
import { formatEntry } from '../cli/entries.ts';
import { NEEDS_ATTENTION } from '../cli/failures.ts';
import { layoutOf } from '../cli/layout.ts';
import { createPrinter } from '../cli/print.ts';
import { readBaseUrl, readToken, TOKEN_VARIABLE } from '../cli/service-options.ts';

interface ProbeFlags {
  readonly baseUrl: string;
  readonly requests: number;
  readonly timeout: number;
  readonly json: boolean;
}

/** Three requests a second: far below the service's limit, and a probe still ends within seconds. */
const PAUSE_MS = 330;

const HELP = `
Checks the order of the list, page sizes, filter bounds, the format of timestamps and look-ups by
id, in about fifteen requests. It only reads. The feed does not depend on the result: it adapts to
every answer. The probe can't check whether changes become visible late, whether reads may be stale,
and how the service answers a refused token. It tries a failed request again. The output names the
questions that stayed without an answer, and why: for instance, an empty store answers few.
Examples:
  returns-feed probe --base-url https://returns.example.com/api
  returns-feed probe --base-url https://returns.example.com/api --json
Exit code: 0 all questions are answered, 3 some are not, 1 nothing could be read, 2 invalid usage.`;

export function createProbeCommand(): Command {
  return new Command('probe')
    .description(
      `Check what a returns service's document leaves open. Reads the token from ${TOKEN_VARIABLE}.`,
    )
    .requiredOption('--base-url <url>', 'address of the service, including its path prefix')
    .option('--requests <number>', 'maximum number of requests', parseCount, 40)
    .addOption(
      new Option('--timeout <time>', 'timeout of a request')
        .argParser(parseDuration)
        .default(REQUEST_TIMEOUT_MS, '10s'),
    )
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', HELP)
    .action(probe);
}

async function probe({ baseUrl: text, requests, timeout, json }: ProbeFlags): Promise<void> {
  const baseUrl = readBaseUrl(text);
  const token = readToken(process.env);
  const transport = createHttpsTransport();
  try {
    const client = createReturnsServiceClient({ baseUrl, token, transport, timeoutMs: timeout });
    const clock = createSystemClock();
    const report = await probeService(
      askWithin({ client, clock, mostRequests: requests, pauseMs: PAUSE_MS }),
    );
    const { host } = new URL(baseUrl);
    const lines = json
      ? [JSON.stringify({ host, ...report }, null, 2)]
      : formatProbe(host, report, layoutOf(process.stdout).width);
    await createPrinter(process.stdout).line(lines.join('\n'));
    if (report.unanswered.length > 0) process.exitCode = NEEDS_ATTENTION;
  } finally {
    transport.close();
  }
}

// Formats a probe's report as text: one entry for each finding, with its meaning for the feed where it has one.

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
