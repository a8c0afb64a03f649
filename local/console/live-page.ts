// The page "Live": new events, filtered by type, source and status.
import { EVENT_SCHEMAS, type FeedEvent } from '../../shared/contract/event.ts';
import { meantStatus } from '../cli/listed-statuses.ts';
import { didYouMean } from '../cli/suggest.ts';
import type { ConsoleFeed } from './console-feed.ts';
import type { ConsolePage, PageRequest } from './console-server.ts';
import { liveRow, sourceOf } from './event-view.ts';
import { type Html, html } from './html.ts';
import { createEventTail, readLatestEvents } from './tail-events.ts';

const EVERY_MS = 1_000;

/** Sources that a list to choose from has at most. */
const MOST_CHOICES = 20;

type Fields = PageRequest['fields'];

export function createLivePage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/live',
    async render({ fields }) {
      const before = Number(fields.before) || undefined;
      const { sources, events, position, older } = await readLatestEvents(feed, before);
      const passing = events.filter(matches(fields));
      const isNewest = before === undefined;
      const body = html`
<h1>Live</h1>
${filterForm(fields, sources)}
${typosIn(fields, sources)}
${
  isNewest
    ? html`<p class="stream-tools" data-needs-script hidden><button type="button" id="pause" aria-pressed="false">Pause</button> <button type="button" id="news" hidden>Show new</button></p>`
    : html`<p><a href="${pathWith(fields, undefined)}">Back to the newest</a></p>`
}
<ol class="events" id="events">${passing.map((event) => liveRow(event, feed.moments, sources.length > 1))}</ol>
${passing.length === 0 && html`<p id="no-events">${emptyText(fields)}</p>`}
<p>${
        older === undefined
          ? passing.length > 0 &&
            html`<span class="dim">The list ends here: it has the last changes of the 50 returns of each source that changed last, at most 5,000 in all. The page of a return has all its events.</span>`
          : html`<a href="${pathWith(fields, older)}">Older events</a>`
      }</p>
<p class="dim">Newest first. Times in ${feed.moments.zone}.</p>`;
      return { title: 'Live', body, position: String(position), isFixed: !isNewest };
    },
    updates: {
      everyMs: EVERY_MS,
      follow({ fields }, position) {
        const tail = createEventTail(feed, Number(position) || 0);
        return async () => {
          const events = (await tail.next()).filter(matches(fields));
          const id = String(tail.position());
          return events.map((event) => ({
            event: 'row',
            id,
            markup: liveRow(event, feed.moments, tail.sources() > 1),
          }));
        };
      },
    },
  };
}

function emptyText({ type, source, status, before }: Fields): string {
  if (type || source || status) return 'None of the last events passes this filter.';
  return before ? 'No event here.' : 'No event yet. The next change of a return appears here.';
}

/** The page's address with these filters. @param before the position before which it begins */
function pathWith({ type, source, status }: Fields, before: number | undefined): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries({ type, source, status, before }))
    if (value) given.set(name, String(value));
  return `/live?${given}`;
}

/** Filters that no event meets, with the words that were probably meant. */
function typosIn(fields: Fields, sources: readonly string[]): Html | false {
  const { type, source, status } = fields;
  const meant = status?.trim() ? meantStatus(status.trim()) : undefined;
  const types = Object.keys(EVENT_SCHEMAS);
  const typos = [
    ...(type && !types.includes(type) ? [`There is no type "${type}".${didYouMean(type, types)}`] : []),
    ...(source && !sources.includes(source)
      ? [`There is no source "${source}".${didYouMean(source, sources)}`]
      : []),
  ];
  if (typos.length === 0 && meant === undefined) return false;
  return html`<div class="notice bad" role="status">${typos.map((typo) => html`<p>${typo}</p>`)}
${meant !== undefined && html`<p>No status is "${status}". Did you mean <a href="${pathWith({ ...fields, status: meant }, undefined)}">${meant}</a>?</p>`}</div>`;
}

function filterForm({ type, source, status }: Fields, sources: readonly string[]): Html {
  return html`<form class="filters">
${choice('type', 'Type', Object.keys(EVENT_SCHEMAS), type)}
${sources.length > MOST_CHOICES ? suggestion('source', 'Source', sources, source) : choice('source', 'Source', sources, source)}
<label>Status<input name="status" value="${status ?? ''}" size="14" placeholder="DELIVERED"></label>
<button>Filter</button>
</form>`;
}

function choice(name: string, label: string, values: readonly string[], chosen: string | undefined): Html {
  const options = values.map(
    (value) => html`<option${value === chosen ? html` selected` : ''}>${value}</option>`,
  );
  return html`<label>${label}<select name="${name}"><option value="">all</option>${options}</select></label>`;
}

/** A field to type into, for more values than a person looks through. */
function suggestion(
  name: string,
  label: string,
  values: readonly string[],
  chosen: string | undefined,
): Html {
  return html`<label>${label}<input name="${name}" value="${chosen ?? ''}" size="14" list="all-${name}" placeholder="all"></label>
<datalist id="all-${name}">${values.map((value) => html`<option>${value}</option>`)}</datalist>`;
}

/** Returns a predicate for the filters. `status` is the entity's status after the event. */
function matches({ type, source, status }: Fields): (event: FeedEvent) => boolean {
  return (event) => {
    const object = event.data.object as { readonly status?: unknown };
    return (
      (!type || event.type === type) &&
      (!source || sourceOf(event) === source) &&
      (!status?.trim() || object.status === status.trim())
    );
  };
}
