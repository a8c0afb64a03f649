// The measured parts of docs/performance.md.
import { readFileSync } from 'node:fs';
import type { MeasuredTable } from './measured-rows.ts';
import { percent, seconds } from './print-row.ts';
import type { ReaderRow, Row } from './run-row.ts';
import { leastShareOfRequests, SETTINGS } from './settings.ts';
import { READERS } from './start-readers.ts';

export const PERFORMANCE_PAGE = new URL('../../docs/performance.md', import.meta.url);

const TABLES = /(?<=<!-- begin: npm run bench:readers -->\n)[\s\S]*(?=<!-- end -->)/;
/** The page shows only rows with these settings; other rows are for closer analysis. */
const EVERY_MS = 5_000;
const PER_MINUTE = 300;
/** The page marks the feed if it is later than the best reader by more than this. */
const SLACK = 1.1;

export function renderPerformancePage(tables: readonly MeasuredTable[]): string {
  const page = readFileSync(PERFORMANCE_PAGE, 'utf8');
  if (!TABLES.test(page))
    throw new Error('docs/performance.md does not mark where its tables begin and end.');
  return page.replace(TABLES, () => tables.map(renderTable).join('\n'));
}

function renderTable({ title, machine, rows }: MeasuredTable): string {
  const ordered = rows.toSorted((one, other) => one.groups - other.groups || place(one) - place(other));
  const names = namesIn(ordered);
  const about = (name: string) =>
    ordered.flatMap(({ readers }) => readers).find((one) => one.name === name)?.about;
  const heads = ['setting (changes a second)', 'groups', 'least share', ...names.map(about), 'waited'];
  const lines = ordered.map((row) => [
    `${settingOf(row).about} (${row.changesPerSecond})`,
    row.groups.toLocaleString('en'),
    leastShareOfRequests(settingOf(row), {
      groups: row.groups,
      everyMs: EVERY_MS,
      perMinute: PER_MINUTE,
    }).toFixed(2),
    ...names.map((name) => renderReader(row, name)),
    percent(row.processorWait),
  ]);
  return [
    `### ${title}\n`,
    `${machine}.\n`,
    markdown(heads, lines),
    '\nProcessor time of the feed, in seconds a minute, and its memory in MB:\n',
    markdown(
      ['setting (changes a second)', 'groups', ...names.filter(isFeed).map(about)],
      usageLines(ordered, names),
    ),
    '',
  ].join('\n');
}

/** In the order of the list; the feed at other settings comes last. */
function namesIn(rows: readonly Row[]): string[] {
  const measured = new Set(rows.flatMap(({ readers }) => readers.map(({ name }) => name)));
  const listed = READERS.flatMap(({ name }) => (measured.has(name) ? [name] : []));
  return [...new Set([...listed, ...measured])];
}

function usageLines(rows: readonly Row[], names: readonly string[]): string[][] {
  return rows.map((row) => [
    `${settingOf(row).about} (${row.changesPerSecond})`,
    row.groups.toLocaleString('en'),
    ...names.filter(isFeed).map((name) => {
      const usage = row.readers.find((one) => one.name === name)?.usage;
      return usage ? `${usage.cpuSeconds.toFixed(1)} / ${usage.residentMb.toFixed(0)}` : '–';
    }),
  ]);
}

function renderReader(row: Row, name: string): string {
  const reader = row.readers.find((one) => one.name === name);
  if (!reader) return '–';
  const mark = (text: string, falls: boolean) => (falls ? `**${text}**` : text);
  const parts = (['wrong', 'p50', 'p99'] as const).map((figure) => {
    const text = figure === 'wrong' ? String(reader.wrong) : seconds(reader[figure]);
    return mark(text, isFeed(name) && fallsShort(row, reader, figure));
  });
  return `${parts.join(' / ')} (${reader.requestsPerMinute.toFixed(0)})`;
}

function fallsShort({ readers }: Row, reader: ReaderRow, figure: 'wrong' | 'p50' | 'p99'): boolean {
  const best = Math.min(...readers.flatMap((one) => (isFeed(one.name) ? [] : one[figure])));
  return reader[figure] > (figure === 'wrong' ? best : SLACK * best);
}

function isFeed(name: string): boolean {
  return name.startsWith('feed');
}

function place({ setting }: Row): number {
  return SETTINGS.findIndex(({ name }) => name === setting);
}

function settingOf({ setting }: Row) {
  const found = SETTINGS.find(({ name }) => name === setting);
  if (!found)
    throw new Error(`measured.json has a row of the setting ${setting}, which does not exist any more.`);
  return found;
}

function markdown(heads: readonly (string | undefined)[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly (string | undefined)[]) => `| ${cells.join(' | ')} |`;
  return [row(heads), row(heads.map(() => '---')), ...lines.map(row)].join('\n');
}
