import type { Moments } from '../cli/moments.ts';
import type { OverviewSource } from '../operating/load-overview.ts';
import type { SourceStatus, Verdict } from '../operating/source-status.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, table } from './layout.ts';

/** The overview's table of sources, the worst state first. */
export function sourceTable(sources: readonly OverviewSource[], moments: Moments): Html {
  if (sources.length === 0) return html`<p>No source has been polled yet.</p>`;
  const sorted = sources.map(({ status }) => status).sort((a, b) => severityOf(b) - severityOf(a));
  return html`${table(
    'Sources',
    ['Source', 'State', 'Polled', 'Walked', 'Returns', 'Held', 'Set aside'],
    sorted.map((status) => rowOf(status, moments)),
  )}<details id="read-up-to"><summary>What the polls have read for certain</summary>
<ul>${sorted.map((status) => html`<li>${readUpTo(status, moments)}</li>`)}</ul></details>`;
}

const WORST_FIRST = ['held', 'stopped', 'failing', 'well', 'removed'] as const satisfies readonly Verdict[];

function severityOf({ verdict, setAside, places }: SourceStatus): number {
  return -2 * WORST_FIRST.indexOf(verdict) + (setAside.length + places.length > 0 ? 1 : 0);
}

function rowOf(status: SourceStatus, moments: Moments): Content[] {
  const { held, setAside, places, baseline, polledAt, walkedAt } = status;
  const aside = setAside.length + places.length;
  return [
    status.source,
    stateOf(status),
    polledAt === null ? 'not yet' : `${moments.age(polledAt)} ago, complete`,
    walkedAt === null ? 'not yet' : `${moments.age(walkedAt)} ago`,
    `${baseline.groups.toLocaleString('en')}${baseline.status === 'running' ? ' so far' : ''}`,
    held.length === 0 ? '0' : html`<a href="/stuck">${held.length}</a>`,
    aside === 0 ? '0' : html`<a href="/stuck">${aside}</a>`,
  ];
}

function stateOf({ verdict, baseline }: SourceStatus): Html {
  if (verdict === 'well' && baseline.status === 'running') return badge('busy', 'first reading');
  if (verdict === 'removed') return badge('busy', verdict);
  return verdict === 'well' ? badge('good', 'well') : badge('bad', verdict);
}

function readUpTo({ source, readUpTo: upTo }: SourceStatus, moments: Moments): string {
  return upTo === null
    ? `${source}: nothing yet`
    : `${source}: every change whose updated_at lies before ${moments.short(upTo)}, if it showed in time`;
}
