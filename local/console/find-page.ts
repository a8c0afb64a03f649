// Finds returns by tracking number, order name, or the id of a return, an entity or an event. A single exact result opens
// at once. A search has stages: each page shows the results so far and forwards the browser to the next stage.
import { parseEventId } from '../../shared/contract/event-id.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { formatCount } from '../cli/counts.ts';
import { type Found, findReturns, type Searched, type SearchProblem } from '../operating/find-returns.ts';
import { type ConsoleFeed, pathOfReturn } from './console-feed.ts';
import type { ConsolePage } from './console-server.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';

const NAMES: Readonly<Record<Searched, string>> = {
  tracking_number: 'tracking number',
  order_name: 'order name',
  return_group_id: 'id of a return',
  entity_id: 'id of an item, a shipment or an exchange',
  event_id: 'id of an event',
};

interface Stage {
  /** The stage's name in the address of its page. */
  readonly name: string;
  readonly as: readonly Searched[];
  readonly where: 'tables' | 'service';
  /** Shown while the browser waits for this stage. */
  readonly about: string;
}

/** These ids are keys of the tables, so each needs one read. */
const AT_ONCE = { as: ['return_group_id', 'event_id'], where: 'tables' } as const;

/** In a deployment the search of stored returns reads up to 2,000. The service may be down, so it is asked last. */
const LATER: readonly Stage[] = [
  {
    name: 'stored',
    as: ['tracking_number', 'order_name', 'entity_id'],
    where: 'tables',
    about: 'Searching the stored returns …',
  },
  {
    name: 'service',
    as: ['tracking_number', 'order_name'],
    where: 'service',
    about: 'Asking the service for a tracking number or an order name …',
  },
];

/** A browser follows to the next stage at once. */
const REMEMBERED_MS = 60_000;

interface SearchSoFar {
  /** How many of the later stages are included. */
  readonly stages: number;
  readonly found: readonly Found[];
  readonly problems: readonly SearchProblem[];
}

export function createFindPage(feed: ConsoleFeed): ConsolePage {
  const { moments, access } = feed;
  let last: (SearchSoFar & { readonly text: string; readonly atMs: number }) | undefined;

  async function searchAs(
    text: string,
    stages: number,
    parts: readonly Pick<Stage, 'as' | 'where'>[],
  ): Promise<SearchSoFar> {
    const problems: SearchProblem[] = [];
    const onProblem = (problem: SearchProblem) => problems.push(problem);
    const once = readingStatesOnce(feed);
    const found = await Promise.all(
      parts.map((part) => findReturns(once, text, { ...access, ...part, onProblem })),
    );
    return { stages, found: found.flat(), problems };
  }

  /** Continues the search that the page before began: its requests to the service are not repeated. */
  async function search(text: string, stages: number): Promise<SearchSoFar> {
    const isNext =
      last !== undefined &&
      last.text === text &&
      last.stages === stages - 1 &&
      moments.now() - last.atMs < REMEMBERED_MS;
    const before = isNext ? last : undefined;
    const all = [AT_ONCE, ...LATER].slice(0, stages + 1);
    const one = await searchAs(text, stages, before === undefined ? all : all.slice(-1));
    const found = [...(before?.found ?? []), ...one.found];
    const soFar = {
      stages,
      found: found.sort((a, b) => Number(b.isExact) - Number(a.isExact)),
      problems: [...(before?.problems ?? []), ...one.problems],
    };
    last = { ...soFar, text, atMs: moments.now() };
    return soFar;
  }

  return {
    path: '/find',
    async render({ fields }) {
      const text = (fields.q ?? '').trim();
      if (text === '')
        return {
          title: 'Find',
          body: html`<h1>Find</h1><p>Type a tracking number, an order name or an id into the box above.</p>`,
        };
      const stages = LATER.findIndex(({ name }) => name === fields.in) + 1;
      const { found, problems } = await search(text, stages);
      const exact = uniqueReturns(found.filter(({ isExact }) => isExact));
      // No other id has the form of an event's id. The id of a return may also be the name of an order.
      const isFound = parseEventId(text) !== undefined || (stages > 0 && exact.length > 0);
      const next = isFound ? undefined : LATER[stages];
      if (next !== undefined) return interimResults(text, found, next);
      const [only, other] = exact;
      if (only !== undefined && other === undefined && !only.isFormer)
        return { to: pathOfReturn(only.source, only.returnGroupId) };
      return results(text, found, problems, (await feed.sources(undefined)).length > 0);
    },
  };
}

/** Caches the states of sources: each part of a search loads the state of its source. */
function readingStatesOnce(feed: ConsoleFeed): ConsoleFeed {
  const read = new Map<string, Promise<SourceState>>();
  const stateOf = (source: string) => {
    const state = read.get(source) ?? feed.stateOf(source);
    read.set(source, state);
    return state;
  };
  return { ...feed, stateOf };
}

function interimResults(text: string, found: readonly Found[], next: Stage): Page {
  const continuesAt = `/find?${new URLSearchParams({ q: text, in: next.name })}`;
  const body = html`<h1>Find: ${text}</h1>
${list(found)}
<p><a href="${continuesAt}">${next.about}</a></p>`;
  return { title: `Find: ${text}`, body, continuesAt, searched: text };
}

function uniqueReturns(found: readonly Found[]): Found[] {
  return [...new Map(found.map((each) => [`${each.source} ${each.returnGroupId}`, each])).values()];
}

function results(
  text: string,
  found: readonly Found[],
  problems: readonly SearchProblem[],
  hasSources: boolean,
): Page {
  const body = html`
<h1>Find: ${text}</h1>
${list(found) || html`<p>${hasSources ? 'No return was found.' : 'Nothing was searched: no source has been polled yet.'}</p>`}
${problems.length > 0 && html`<h2>Incomplete or failed searches</h2><ul>${problemItems(problems)}</ul>`}
<p class="dim">Stored returns are searched first, then the service for tracking numbers and order names.</p>`;
  return { title: `Find: ${text}`, body, searched: text };
}

function list(found: readonly Found[]): Html | false {
  return found.length > 0 && html`<ul>${found.map(item)}</ul>`;
}

function item({ source, returnGroupId, matched, isExact, isFormer, entity }: Found): Html {
  const what = entity === undefined ? NAMES[matched] : `${NAMES[matched]}: ${entity}`;
  return html`<li><a href="${pathOfReturn(source, returnGroupId)}">Return ${returnGroupId}</a> of source ${source}, by the ${what}${isFormer === true && ' (formerly)'}${isExact ? '' : ' (similar)'}</li>`;
}

/** Searches that the item of a message names. */
const MOST_NAMED = 3;

/** An item for each message: most are the same for all searches. */
function problemItems(problems: readonly SearchProblem[]): Html[] {
  const searches = new Map<string, string[]>();
  for (const { source, searched, message } of problems)
    searches.set(message, [...(searches.get(message) ?? []), `source ${source}, ${NAMES[searched]}`]);
  return [...searches].map(([message, all]) => {
    const more = all.length - MOST_NAMED;
    const named = [...all.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])];
    return html`<li>${message} (${named.join('; ')})</li>`;
  });
}
