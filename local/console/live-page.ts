// The page "Live": new events, filtered by type, source and status.
import { EVENT_SCHEMAS, type FeedEvent } from '../../shared/contract/event.ts';
import type { ConsoleFeed } from './console-feed.ts';
import type { ConsolePage, PageRequest } from './console-server.ts';
import { liveRow } from './event-view.ts';
import { type Html, html } from './html.ts';
import { createEventTail, readLatestEvents } from './tail-events.ts';

const EVERY_MS = 1_000;

type Fields = PageRequest['fields'];

export function createLivePage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/live',
    async render({ fields }) {
      const [sources, { events, position }] = await Promise.all([
        feed.sources(undefined),
        readLatestEvents(feed),
      ]);
      const passing = events.filter(matches(fields));
      const body = html`
<h1>Live</h1>
${filterForm(fields, sources)}
<ol class="events" id="events">${passing.map((event) => liveRow(event, feed.moments))}</ol>
${passing.length === 0 && html`<p id="no-events">No event yet.</p>`}
<p class="dim">Newest first. Times in ${feed.moments.zone}.</p>`;
      return { title: 'Live', body, position: String(position) };
    },
    updates: {
      everyMs: EVERY_MS,
      follow({ fields }, position) {
        const tail = createEventTail(feed, Number(position) || 0);
        return async () => {
          const events = (await tail.next()).filter(matches(fields));
          const id = String(tail.position());
          return events.map((event) => ({ event: 'row', id, markup: liveRow(event, feed.moments) }));
        };
      },
    },
  };
}

function filterForm({ type, source, status }: Fields, sources: readonly string[]): Html {
  return html`<form class="filters">
${choice('type', 'Type', Object.keys(EVENT_SCHEMAS), type)}
${choice('source', 'Source', sources, source)}
<label>Status<input name="status" value="${status ?? ''}" size="14" placeholder="for instance DELIVERED"></label>
<button>Filter</button>
</form>`;
}

function choice(name: string, label: string, values: readonly string[], chosen: string | undefined): Html {
  const options = values.map(
    (value) => html`<option${value === chosen ? html` selected` : ''}>${value}</option>`,
  );
  return html`<label>${label}<select name="${name}"><option value="">all</option>${options}</select></label>`;
}

/** Returns a predicate for the filters. `status` is the entity's status after the event. */
function matches({ type, source, status }: Fields): (event: FeedEvent) => boolean {
  return (event) => {
    const object = event.data.object as { readonly status?: unknown };
    return (
      (!type || event.type === type) &&
      (!source || event.source.split('/').at(-1) === source) &&
      (!status?.trim() || object.status === status.trim())
    );
  };
}
