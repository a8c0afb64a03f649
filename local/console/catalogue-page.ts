// The page with all event types by kind, each with a recorded example.
import { EVENT_SCHEMAS, type EventType } from '../../shared/contract/event.ts';
import { PUBLISHED_WHEN } from '../../shared/contract/event-descriptions.ts';
import { readExample } from '../receiver-check/example-events.ts';
import type { ConsolePage } from './console-server.ts';
import { eventJson } from './event-view.ts';
import { type Html, html } from './html.ts';
import { table } from './layout.ts';

export function createCataloguePage(): ConsolePage {
  return {
    path: '/catalogue',
    async render() {
      const types = Object.keys(EVENT_SCHEMAS) as EventType[];
      const kinds = [...new Set(types.map(kindOf))];
      const body = html`
<h1>Events</h1>
<p>Each type with an example that the feed recorded from the reference service.</p>
<p class="parts">${kinds.map((kind) => html`<a href="#${kind}">${nameOf(kind)}</a> `)}</p>
${kinds.map(
  (kind) => html`<h2 id="${kind}">${nameOf(kind)}</h2>
${table(
  nameOf(kind),
  ['Type', 'Published when', 'Seen lately', 'Example'],
  types
    .filter((type) => kindOf(type) === kind)
    .map((type) => [
      html`<code>${kind}.<wbr>${type.slice(kind.length + 1)}</code>`,
      withCode(PUBLISHED_WHEN[type]),
      html`<a href="/live?type=${type}" aria-label="Live: ${type}">Live</a>`,
      eventJson(readExample(type)),
    ]),
)}`,
)}`;
      return { title: 'Events', body };
    },
  };
}

/** The text, with what is between backticks as code. */
function withCode(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

function kindOf(type: EventType): string {
  return type.split('.')[0] ?? type;
}

/** For instance `Return line item`. */
function nameOf(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
