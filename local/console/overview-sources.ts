import type { Moments } from '../cli/moments.ts';
import type { Verdict } from '../operating/judge-source.ts';
import type { SourceStatus } from '../operating/source-status.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, table } from './layout.ts';
import type { OverviewSource } from './load-overview.ts';

/** The overview's table of sources, the worst state first. */
export function sourceTable(sources: readonly OverviewSource[], moments: Moments): Html {
  if (sources.length === 0) return html`<p>No source has been polled yet.</p>`;
  const sorted = sources.toSorted((a, b) => severityOf(b.status) - severityOf(a.status));
  return table(
    'Sources',
    ['Source', 'State', 'Read up to', 'Walked', 'Baseline', 'Held', 'Set aside'],
    sorted.map(({ status }) => rowOf(status, moments)),
  );
}

const WORST_FIRST = ['held', 'stopped', 'failing', 'well'] as const satisfies readonly Verdict[];

function severityOf({ verdict, setAside, places }: SourceStatus): number {
  return -2 * WORST_FIRST.indexOf(verdict) + (setAside.length + places.length > 0 ? 1 : 0);
}

function rowOf(status: SourceStatus, moments: Moments): Content[] {
  const { held, setAside, places, baseline } = status;
  const aside = setAside.length + places.length;
  return [
    status.source,
    stateOf(status),
    shown(status.readUpTo, moments),
    shown(status.walkedAt, moments),
    `${baseline.groups.toLocaleString('en')} groups${baseline.status === 'running' ? ' so far' : ''}`,
    held.length === 0 ? '0' : html`<a href="/stuck">${held.length}</a>`,
    aside === 0 ? '0' : html`<a href="/stuck">${aside}</a>`,
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
