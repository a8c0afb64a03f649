import { betterOf, boundsOf, shortfalls, shown } from './judge.ts';
import type { ReaderRow, Row } from './run-row.ts';
import type { Setting } from './settings.ts';

/** Two readers, each on a busy machine, differ by more than in virtual time. */
const TIMES = 1.5;
/** The feed's default budget. */
const BUDGET = 240;

/** What the feed falls short of; empty if it is as fresh as the better of the other readers. */
export function judgeRow({ readers }: Row): string[] {
  const feed = readers.find(({ name }) => name === 'feed');
  const better = betterOf(readers.filter((reader) => reader !== feed));
  if (feed === undefined || better === undefined) throw new Error('A row has the feed and other readers.');
  return shortfalls(feed, { ...boundsOf(better, TIMES), busiestMinute: BUDGET });
}

/** A row for a terminal: a line for each reader. */
export function printRow({ about, behaviour }: Setting, row: Row): string {
  const { p50Ms, p99Ms, requests } = row.service;
  const waited = `service and readers waited for a processor ${Math.round(100 * row.processorWait)} % of the time`;
  const missed = judgeRow(row);
  return [
    `${about} (${behaviour.changesPerSecond} changes a second)`,
    '  reader      wrong  p50 s  p99 s   most  never  changes  requests/min  busiest  429  CPU s/min    MB',
    ...row.readers.map(printReader),
    `  service: ${requests} requests, ${p50Ms.toFixed(1)} ms in the middle, p99 ${p99Ms.toFixed(1)} ms; ${waited}`,
    `  the feed ${missed.length === 0 ? 'holds' : `falls short: ${missed.join('; ')}`}\n`,
  ].join('\n');
}

function printReader(reader: ReaderRow): string {
  const { name, wrong, p50, p99, max, never, changes, requestsPerMinute, busiestMinute, refused, usage } =
    reader;
  const columns = [
    wrong.join().padStart(5),
    ...[p50, p99, max].map((delay) => shown(delay).padStart(6)),
    String(never).padStart(6),
    String(changes).padStart(8),
    requestsPerMinute.toFixed(0).padStart(13),
    String(busiestMinute).padStart(8),
    String(refused).padStart(4),
    (usage?.cpuSeconds.toFixed(1) ?? '').padStart(10),
    (usage?.residentMb.toFixed(0) ?? '').padStart(5),
  ];
  return `  ${name.padEnd(10)} ${columns.join(' ')}`;
}
