// The page of one return: its present state, and its story event by event. An open page is updated.

import { WATCHED_FIELDS } from '../../shared/contract/watched-fields.ts';
import type { Moments } from '../cli/moments.ts';
import { showValue } from '../feed/show-value.ts';
import { type ExplainedMark, type Explanation, explainGroup } from '../operating/explain-group.ts';
import type { WebhookLabels } from '../place/open-feed.ts';
import { createProblems } from '../status/problems.ts';
import { askedNotice } from './asked-notice.ts';
import type { ConsoleFeed } from './console-feed.ts';
import { type ConsoleAction, type ConsolePage, PageNotFound, type PageRequest } from './console-server.ts';
import { type Html, html } from './html.ts';
import { badge, type Page, problemList, table } from './layout.ts';
import { storyOf, type Titles } from './return-story.ts';

/** A person who waits for a change should see it within seconds. */
const EVERY_MS = 2_000;

export function createReturnPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/returns/:source/:group',
    updates: { everyMs: EVERY_MS },
    async render(request) {
      return renderReturn(feed, await explain(feed, namedIn(request)));
    },
  };
}

/** Handles the page's form, which asks the service for its present answer. The answer is shown once and not stored. */
export function createAskAction(feed: ConsoleFeed): ConsoleAction {
  return {
    path: '/returns/:source/:group/ask',
    async run(request) {
      const named = namedIn(request);
      return renderReturn(feed, await explain(feed, named), await askedNotice(feed, named));
    },
  };
}

interface NamedReturn {
  readonly source: string;
  readonly group: number;
}

/** @throws PageNotFound if the address does not contain the id of a return group */
function namedIn({ params }: PageRequest): NamedReturn {
  const { source = '', group = '' } = params;
  if (!/^\d{1,16}$/.test(group)) throw new PageNotFound(`"${group}" is not the id of a return group.`);
  return { source, group: Number(group) };
}

interface ShownReturn {
  readonly explanation: Explanation;
  readonly webhooks: readonly WebhookLabels[];
  readonly problems: readonly string[];
}

async function explain(feed: ConsoleFeed, { source, group }: NamedReturn): Promise<ShownReturn> {
  if (!(await feed.sources(undefined)).includes(source))
    throw new PageNotFound(`There is no source "${source}" here.`);
  const { attempt, sentences: problems } = createProblems();
  const webhooks = await attempt('The webhooks', feed.webhooks, []);
  const explanation = await explainGroup({ ...feed, webhooks, attempt }, await feed.stateOf(source), group);
  const { snapshot, setAside, events } = explanation;
  if (snapshot === null && setAside === null && events.length === 0 && problems.length === 0)
    throw new PageNotFound(`The feed has no return group ${group} of source ${source}.`);
  return { explanation, webhooks, problems };
}

function renderReturn(
  { destinations, moments }: ConsoleFeed,
  { explanation, webhooks, problems }: ShownReturn,
  notice?: Html,
): Page {
  const { source, snapshot, setAside, events, marks, returnGroupId } = explanation;
  const order = snapshot?.group.order.name;
  const titles = new Map([...destinations, ...webhooks].map(({ name, title: text }) => [name, text]));
  const title = order ? `Return ${returnGroupId}, order ${order}` : `Return ${returnGroupId}`;
  const body = html`
<h1>${title}</h1>
${notice}
${problemList(problems)}
${setAside !== null && html`<p class="notice bad">${badge('bad', 'Set aside:')} ${setAside.reason}, since ${moments.withAge(setAside.since)}.</p>`}
${marks.flatMap((mark) => (mark.behind === null ? [] : [behindNotice(mark, titles, moments)]))}
${snapshot === null ? html`<p>The feed has no state of this return.</p>` : presentState(snapshot, moments)}
<form method="post" action="/returns/${source}/${returnGroupId}/ask">
<button>Ask the service for its present answer</button> <span class="dim">sends one request</span></form>
<h2>Story</h2>
${events.length === 0 ? html`<p>The ledger has no event of this return.</p>` : storyOf(explanation, webhooks, titles, moments)}
<p class="dim">Source ${source}, generation ${explanation.generation}. The ledger keeps events for 30 days. Times in ${moments.zone}.</p>`;
  return { title, body };
}

function behindNotice(
  { destination, behind, failingSince }: ExplainedMark,
  titles: Titles,
  moments: Moments,
): Html {
  const since = failingSince === null ? '' : `, since ${moments.withAge(failingSince)}`;
  return html`<p class="notice bad">${badge('bad', 'Behind:')} ${titles.get(destination) ?? destination} stopped at event ${behind}${since}. <a href="/stuck">What to do</a></p>`;
}

type Known = NonNullable<Explanation['snapshot']>;

function presentState(snapshot: Known, moments: Moments): Html {
  const { group, removedAt, isForgotten, missingSince, entities } = snapshot;
  if (isForgotten && removedAt !== null)
    return html`<p>It was forgotten ${moments.withAge(removedAt)}: only its numbers are kept.</p>`;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Order', group.order.name],
    ['Outcome', group.return_outcome],
    ['Method', group.return_method],
    ['Created', moments.full(snapshot.createdAt)],
    ['Updated', moments.withAge(snapshot.updatedAt)],
    ['Last seen', moments.withAge(snapshot.shownAt)],
    ['Removed', removedAt && moments.withAge(removedAt)],
    ['Not found since', missingSince && moments.withAge(missingSince)],
  ];
  return html`<h2>Now</h2>
<dl>${facts.flatMap(([name, value]) => (value === null ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`]))}</dl>
${table(
  'Items, shipments, exchanges and refunds',
  ['Entity', 'Status', 'Details'],
  entities.map(({ key, object, missingSince: gone }) => [
    key.replace('/', ' ').replaceAll('_', ' '),
    html`<strong>${showValue(object.status, moments)}</strong>${gone !== null && html` ${badge('busy', 'not shown now')}`}`,
    detailsOf(object, moments),
  ]),
)}`;
}

/** The product, and the watched fields besides the status. */
function detailsOf(object: Readonly<Record<string, unknown>>, moments: Moments): string {
  const type = String(object.type) as keyof typeof WATCHED_FIELDS;
  const names = ['product_name', 'variant_name', 'amount', 'gateway', ...(WATCHED_FIELDS[type] ?? [])];
  return names
    .filter((name) => name !== 'status')
    .flatMap((name) => {
      const value = showValue(object[name], moments);
      return value === '–' ? [] : [PLAIN.has(name) ? value : `${name.replaceAll('_', ' ')} ${value}`];
    })
    .join(' · ');
}

/** Fields that are shown without their name. */
const PLAIN = new Set(['product_name', 'variant_name', 'carrier', 'amount']);
