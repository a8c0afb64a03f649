import type { ReaderRow, Row } from './run-row.ts';
import type { Setting } from './settings.ts';

/** A row for a terminal: a line for each reader. */
export function printRow({ about }: Setting, row: Row): string {
  const { p50Ms, p99Ms, requests } = row.service;
  const waited = `service and readers waited for a processor ${percent(row.processorWait)} of the time`;
  const head = `${about} (${row.changesPerSecond} changes a second), ${row.groups} groups, seed ${row.seed}`;
  return [
    head,
    `  ${'reader'.padEnd(40)} wrong  p50 s  p99 s   most  never  changes  requests/min  429  CPU s/min    MB`,
    ...row.readers.map(printReader),
    `  service: ${requests} requests, ${p50Ms.toFixed(1)} ms in the middle, p99 ${p99Ms.toFixed(1)} ms; ${waited}\n`,
  ].join('\n');
}

function printReader(reader: ReaderRow): string {
  const { about, wrong, p50, p99, most, never, changes, requestsPerMinute, refused, usage } = reader;
  const columns = [
    String(wrong).padStart(5),
    seconds(p50).padStart(6),
    seconds(p99).padStart(6),
    seconds(most).padStart(6),
    String(never).padStart(6),
    String(changes).padStart(8),
    requestsPerMinute.toFixed(0).padStart(13),
    String(refused).padStart(4),
    (usage?.cpuSeconds.toFixed(1) ?? '').padStart(10),
    (usage?.residentMb.toFixed(0) ?? '').padStart(5),
  ];
  return `  ${about.slice(0, 40).padEnd(40)} ${columns.join(' ')}`;
}

/** With one decimal. */
export function seconds(ms: number): string {
  return ms === Infinity ? 'never' : (ms / 1_000).toFixed(1);
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
