// The figures as a table in Markdown.
import { shown } from '../readers/judge.ts';
import type { ReaderFigures, Row } from './run-row.ts';

const HEAD = ['setting', 'seed', 'usual poller', 'whole list', 'the feed', 'verdict'];

export const LEGEND =
  'A cell: statuses wrong 40 s / 3 min after the last change (scarce: 25 s, failing: 15 s) · p50 / p99 / latest in seconds · ' +
  'requests a minute while the store changes / at rest / in the busiest minute. *: the better of the two readers.\n';

export function tableHead(): string {
  return `${LEGEND}\n${line(HEAD)}\n${line(HEAD.map(() => '---'))}`;
}

export function tableRow({ setting, seed, readers, better, missed }: Row): string {
  const cell = (name: string) => {
    const reader = readers.find((one) => one.name === name);
    return reader === undefined ? '–' : `${figures(reader)}${name === better ? ' *' : ''}`;
  };
  const notes = readers.flatMap((reader) => reader.notes);
  const verdict = missed.length === 0 ? 'holds' : `falls short: ${missed.join('; ')}`;
  return line([
    ...[setting.name, String(seed), cell('usual'), cell('whole-list'), cell('ours')],
    [verdict, ...notes].join('; '),
  ]);
}

function figures({ wrong, p50, p99, max, ...reader }: ReaderFigures): string {
  const { requests, requestsAtRest, busiestMinute } = reader;
  return [
    wrong.join(' / '),
    [p50, p99, max].map((delay) => shown(delay)).join(' / '),
    [requests, requestsAtRest, busiestMinute].map((count) => count.toFixed(0)).join(' / '),
  ].join(' · ');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
