import { formatDuration } from '../cli/durations.ts';
import type { Moments } from '../cli/moments.ts';
import type { Verdict } from '../operating/judge-source.ts';
import type { SourceStatus } from '../operating/source-status.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, table } from './layout.ts';
import { type OverviewSource, shareOfBudget } from './load-overview.ts';

/** The overview's table of sources, the worst state first. */
export function sourceTable(sources: readonly OverviewSource[], moments: Moments): Html {
  if (sources.length === 0) return html`<p>No source has been polled yet.</p>`;
  const sorted = sources.toSorted((a, b) => severityOf(b.status) - severityOf(a.status));
  return table(
    'Sources',
    ['Source', 'State', 'Read up to', 'Reconciled through', 'Baseline', 'Held', 'Set aside', 'Budget'],
    sorted.map((source) => rowOf(source, moments)),
  );
}

const WORST_FIRST = ['held', 'stopped', 'failing', 'well'] as const satisfies readonly Verdict[];

function severityOf({ verdict, setAside }: SourceStatus): number {
  return -2 * WORST_FIRST.indexOf(verdict) + (setAside.length > 0 ? 1 : 0);
}

function rowOf(source: OverviewSource, moments: Moments): Content[] {
  const { status } = source;
  const { held, setAside } = status;
  const share = shareOfBudget(source, moments.now());
  return [
    status.source,
    stateOf(status),
    shown(status.readUpTo, moments),
    shown(status.reconciledThrough, moments),
    baselineOf(source, moments),
    held.length === 0 ? '0' : html`<a href="/stuck">${held.length}</a>`,
    setAside.length === 0 ? '0' : html`<a href="/stuck">${setAside.length}</a>`,
    share === undefined ? '–' : `${Math.round(share * 100)} %`,
  ];
}

function stateOf({ verdict, reasons, lastFailure, baseline }: SourceStatus): Html {
  if (verdict === 'well')
    return baseline.status === 'running' ? badge('busy', 'baseline under way') : badge('good', 'well');
  const why = lastFailure === null ? reasons : [lastFailure, ...reasons];
  return html`${badge('bad', verdict)} ${why[0] !== undefined && html`<br><a href="/stuck">${why[0].message}</a>`}`;
}

function shown(instant: string | null, moments: Moments): Html {
  return html`<span class="number">${instant === null ? 'not yet' : moments.short(instant)}</span>`;
}

function baselineOf({ status: { baseline }, state }: OverviewSource, moments: Moments): string {
  const { groups, estimatedGroups } = baseline;
  if (baseline.status === 'completed') return `${groups.toLocaleString('en')} groups`;
  if (estimatedGroups === null || estimatedGroups <= groups || groups === 0)
    return `${groups.toLocaleString('en')} groups so far`;
  const elapsedMs = moments.now() - state.baseline.startedAt / 1_000;
  const leftMs = (elapsedMs / groups) * (estimatedGroups - groups);
  const share = Math.floor((groups / estimatedGroups) * 100);
  return `${share} % of about ${estimatedGroups.toLocaleString('en')}, about ${formatDuration(leftMs)} left`;
}
