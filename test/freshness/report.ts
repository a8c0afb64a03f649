// The figures as a table in Markdown.
import type { Figures } from './run-reader.ts';

const HEAD = [
  'setting',
  'reader',
  'changes',
  'wrong after 0 s / 40 s / 3 min',
  'delay p50 / p90 / p99 / max s',
  'requests a minute: polls + reconciliation (at rest)',
  'rows a request ÷ page (at rest)',
  'walks × s',
  'every group seen: passes × s, rows a request ÷ page (at rest)',
  'baseline s',
  'notes',
];

export function tableHead(): string {
  return `${line(HEAD)}\n${line(HEAD.map(() => '---'))}`;
}

export function tableRow(figures: Figures): string {
  const { wrong, delay, requests, walks, walkSeconds, never, holds, errors } = figures;
  const notes = [
    never > 0 ? `${never} never` : '',
    ...holds.map((guard) => `held: ${guard}`),
    ...errors.map((error) => `error: ${error}`),
  ];
  return line([
    `${figures.setting}, ${figures.groups}`,
    figures.reader,
    `${figures.changes} (${figures.statuses} statuses)`,
    `${wrong.after0s} / ${wrong.after40s} / ${wrong.after3min}`,
    [delay.p50, delay.p90, delay.p99, delay.max].map(seconds).join(' / '),
    `${requests.poll} + ${requests.reconciliation} (${figures.requestsAtRest})`,
    `${share(figures.rowsPerRequest)} (${share(figures.rowsPerRequestAtRest)})`,
    walks === 0 ? '–' : `${walks} × ${seconds(walkSeconds ?? 0)}`,
    `${pass(figures.passes)} (${pass(figures.passesAtRest)})`,
    seconds(figures.baselineSeconds),
    notes.filter((note) => note !== '').join('; '),
  ]);
}

function pass({ passes, passSeconds, passShare }: Figures['passes']): string {
  return `${passes === 0 ? '–' : `${passes} × ${seconds(passSeconds ?? 0)}`}, ${share(passShare)}`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function seconds(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value < 9.95 ? 1 : 0) : 'never';
}

function share(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(2);
}
