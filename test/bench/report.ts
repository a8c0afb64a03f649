// The figures as a table in Markdown.
import { shown } from './judge.ts';
import { quantile } from './measure.ts';
import type { OwnFigures, ReaderFigures, Row } from './run-row.ts';

const HEAD = ['setting', 'seed', 'usual poller', 'whole list', 'the feed', 'verdict'];

export const LEGEND =
  'A cell: statuses wrong 40 s / 3 min after the last change (scarce: 25 s, failing: 15 s; in real time only the first) · ' +
  'p50 / p99 / latest in seconds · requests a minute while the store changes / at rest / in the busiest minute. ' +
  '*: the better of the two readers.\n';

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
  const row = line([
    ...[setting.name, String(seed), cell('usual'), cell('whole-list'), cell('feed')],
    [verdict, ...notes].join('; '),
  ]);
  return [row, ...readers.flatMap(({ own }) => (own === undefined ? [] : ownLines(own)))].join('\n');
}

function figures({ wrong, p50, p99, max, ...reader }: ReaderFigures): string {
  const { requests, requestsAtRest, busiestMinute } = reader;
  return [
    wrong.join(' / '),
    [p50, p99, max].map((delay) => shown(delay)).join(' / '),
    [requests, requestsAtRest, busiestMinute].map((count) => count.toFixed(0)).join(' / '),
  ].join(' · ');
}

function ownLines({ usage: [busy, atRest], delays, ...own }: OwnFigures): string[] {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const [p50, p99] = [0.5, 0.99].map((share) =>
    quantile({ known: delays, never: 0, unseen: 0 }, share).toFixed(0),
  );
  return [
    `- first request after ${seconds(own.firstRequest)}, first reading after ${seconds(own.firstReading)} (${own.requestsOfFirstReading} requests)`,
    ...(own.baselineEvents > 0
      ? [`- events a second of the baseline: ${own.baselineEvents.toFixed(0)}`]
      : []),
    `- from an answer to the printed event, p50 / p99 of ${delays.length}: ${p50} / ${p99} ms`,
    `- processor time a minute, while the store changes / at rest: ${busy.cpuSeconds.toFixed(2)} / ${atRest.cpuSeconds.toFixed(2)} s, waiting for a processor: ${busy.waitSeconds.toFixed(2)} / ${atRest.waitSeconds.toFixed(2)} s`,
    `- memory: ${busy.residentMb.toFixed(0)} / ${atRest.residentMb.toFixed(0)} MB`,
  ];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
