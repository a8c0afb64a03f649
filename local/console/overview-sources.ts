import { counted, formatCount } from '../cli/counts.ts';
import type { Moments } from '../cli/moments.ts';
import type { OverviewSource } from '../status/load-overview.ts';
import { type SourceStatus, WORST_FIRST } from '../status/source-status.ts';
import type { PageRequest } from './console-server.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, table } from './layout.ts';
import { partOf } from './paging.ts';

/** Where the table is. */
const PLACE = { path: '/', id: 'sources' } as const;
/** Sources that a person finds without a search. */
const FEW = 10;

/** The overview's table of sources, the worst state first: a part of those whose name has the text `source`. */
export function sourceTable(
  sources: readonly OverviewSource[],
  fields: PageRequest['fields'],
  moments: Moments,
): Html {
  if (sources.length === 0) return html`<p>No source has been polled yet.</p>`;
  const text = (fields.source ?? '').trim();
  const all = sources.map(({ status }) => status).sort((a, b) => severityOf(b) - severityOf(a));
  const named = all.filter(({ source }) => source.toLowerCase().includes(text.toLowerCase()));
  const { entries, links } = partOf(named, fields, { ...PLACE, kept: text === '' ? {} : { source: text } });
  return html`${all.length > 1 && html`<p>${totalsOf(all)}</p>`}${(all.length > FEW || text !== '') && searchForm(text)}${
    named.length === 0
      ? html`<p>No source has “${text}” in its name.</p>`
      : html`${table(
          'Sources',
          ['Source', 'State', 'Polled', 'Walked', 'Returns', 'Held', 'Set aside'],
          entries.map((status) => rowOf(status, moments)),
        )}${links}<details id="read-up-to"><summary>What the polls have read for certain</summary>
<ul>${entries.map((status) => html`<li>${readUpTo(status, moments)}</li>`)}</ul></details>`
  }`;
}

function searchForm(text: string): Html {
  return html`<form class="filters" action="/#sources" role="search" aria-label="Sources"><label>Name<input type="search" name="source" value="${text}" maxlength="100" autocomplete="off"></label><button>Search</button>${text !== '' && html` <a href="/#sources">All sources</a>`}</form>`;
}

/** For instance `1,000 sources: 1 held, 4 failing, 995 well. 48,210 returns.` */
function totalsOf(all: readonly SourceStatus[]): string {
  const states = WORST_FIRST.flatMap((verdict) => {
    const count = all.filter((status) => status.verdict === verdict).length;
    return count === 0 ? [] : [`${formatCount(count)} ${verdict}`];
  });
  const returns = all.reduce((sum, { baseline }) => sum + baseline.groups, 0);
  const aside = all.reduce((sum, status) => sum + asideOf(status), 0);
  const rest = aside === 0 ? '' : `, ${formatCount(aside)} set aside`;
  return `${counted(all.length, 'source')}: ${states.join(', ')}. ${counted(returns, 'return')}${rest}.`;
}

function severityOf(status: SourceStatus): number {
  return -2 * WORST_FIRST.indexOf(status.verdict) + (asideOf(status) > 0 ? 1 : 0);
}

/** What can't be read. */
function asideOf({ setAside, places }: SourceStatus): number {
  return setAside.length + places.length;
}

function rowOf(status: SourceStatus, moments: Moments): Content[] {
  const { held, baseline, polledAt, walkedAt } = status;
  const aside = asideOf(status);
  return [
    status.source,
    stateOf(status),
    polledAt === null ? 'not yet' : `${moments.age(polledAt)} ago, complete`,
    walkedAt === null ? 'not yet' : `${moments.age(walkedAt)} ago`,
    `${formatCount(baseline.groups)}${baseline.status === 'running' ? ' so far' : ''}`,
    held.length === 0 ? '0' : html`<a href="/stuck">${held.length}</a>`,
    aside === 0 ? '0' : html`<a href="/stuck">${aside}</a>`,
  ];
}

function stateOf({ verdict, baseline }: SourceStatus): Html {
  if (verdict === 'well' && baseline.status === 'running') return badge('busy', 'first reading');
  if (verdict === 'removed' || verdict === 'paused') return badge('busy', verdict);
  return verdict === 'well' ? badge('good', 'well') : badge('bad', verdict);
}

function readUpTo({ source, readUpTo: upTo }: SourceStatus, moments: Moments): string {
  return upTo === null
    ? `${source}: nothing yet`
    : `${source}: every change whose updated_at lies before ${moments.short(upTo)}, if it showed in time`;
}
