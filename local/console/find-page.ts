// Finds returns by tracking number, order name, or the id of a return, an entity or an event. One result opens at once.
import { parseEventId } from '../../shared/contract/event-id.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import {
  type Found,
  findReturns,
  SEARCHED,
  type Searched,
  type SearchTrouble,
} from '../operating/find-returns.ts';
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

export function createFindPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/find',
    async render({ fields }) {
      const text = (fields.q ?? '').trim();
      if (text === '')
        return { title: 'Find', body: html`<h1>Find</h1><p>Type what to look for into the box above.</p>` };
      const troubles: SearchTrouble[] = [];
      const onTrouble = (trouble: SearchTrouble) => troubles.push(trouble);
      const isThorough = fields.items !== undefined;
      const found = await findReturns(readingStatesOnce(feed), text, {
        ...feed.access,
        as: whatItMayBe(text, isThorough),
        onTrouble,
      });
      const exact = uniqueReturns(found.filter(({ isExact }) => isExact));
      const [only, other] = exact;
      if (only !== undefined && other === undefined)
        return { to: pathOfReturn(only.source, only.returnGroupId) };
      if (only === undefined && !isThorough) return goingOn(text, troubles.length === 0);
      return results(text, found, troubles);
    },
  };
}

/** The id of an event has a form that nothing else has: the service is not asked for it. */
function whatItMayBe(text: string, isThorough: boolean): readonly Searched[] {
  if (parseEventId(text) !== undefined) return ['event_id'];
  return SEARCHED.filter((searched) => isThorough || searched !== 'entity_id');
}

/** Each part of a search asks for the state of its source. */
function readingStatesOnce(feed: ConsoleFeed): ConsoleFeed {
  const read = new Map<string, Promise<SourceState>>();
  const stateOf = (source: string) => {
    const state = read.get(source) ?? feed.stateOf(source);
    read.set(source, state);
    return state;
  };
  return { ...feed, stateOf };
}

/** The ids of items are in no index: looking for one reads up to 2,000 returns, which only a text needs that is no other. */
function goingOn(text: string, isWhole: boolean): Page {
  const continuesAt = `/find?q=${encodeURIComponent(text)}&items=1`;
  const body = html`<h1>Find: ${text}</h1>
<p>${isWhole ? 'No tracking number, order, return or event is that.' : 'Nothing is found so far, and not everything could be searched.'} <a href="${continuesAt}">Looking at the items, shipments and exchanges of the newest returns …</a></p>`;
  return { title: `Find: ${text}`, body, continuesAt };
}

function uniqueReturns(found: readonly Found[]): Found[] {
  return [...new Map(found.map((each) => [`${each.source} ${each.returnGroupId}`, each])).values()];
}

function results(text: string, found: readonly Found[], troubles: readonly SearchTrouble[]): Page {
  const body = html`
<h1>Find: ${text}</h1>
${found.length === 0 ? html`<p>No return was found.</p>` : html`<ul>${found.map(item)}</ul>`}
${troubles.length > 0 && html`<h2>What was not searched, or not to its end</h2><ul>${troubles.map(troubleItem)}</ul>`}
<p class="dim">Tracking numbers and order names are searched by the service, ids in the feed's tables.</p>`;
  return { title: `Find: ${text}`, body };
}

function item({ source, returnGroupId, matched, isExact, entity }: Found): Html {
  const what = entity === undefined ? NAMES[matched] : `${NAMES[matched]}: ${entity}`;
  return html`<li><a href="${pathOfReturn(source, returnGroupId)}">Return ${returnGroupId}</a> of source ${source}, by the ${what}${isExact ? '' : ' (similar)'}</li>`;
}

function troubleItem({ source, searched, message }: SearchTrouble): Html {
  return html`<li>Source ${source}, ${NAMES[searched]}: ${message}</li>`;
}
