// Renders one event: as a row of a story or of the live list, and as JSON to copy.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Moments } from '../cli/moments.ts';
import { describeChange, nameOf, orderNameOf } from '../feed/format-event.ts';
import { pathOfReturn } from './console-feed.ts';
import { type Html, html, multiline } from './html.ts';

/** The event's JSON, collapsed, with a button that copies it. */
export function eventJson(event: FeedEvent): Html {
  const id = `json-${event.id}`;
  return html`<details id="details-${id}"><summary>JSON</summary>
<button type="button" data-copy-of="${id}">Copy</button>
<pre id="${id}" tabindex="0" aria-label="JSON of the event ${event.id}">${multiline(JSON.stringify(event, null, 2))}</pre></details>`;
}

/**
 * The entity and its change in words, for instance `shipment 77120: IN_TRANSIT → DELIVERED`; of a report of the feed on
 * itself its reasons.
 */
export function changeOf(event: FeedEvent, moments: Moments): string {
  const { object } = event.data;
  if (!('return_group' in event.data))
    return 'reasons' in object ? object.reasons.map(({ message }) => message).join(' ') : '';
  return `${nameOf(event)}: ${describeChange(event, moments)}`;
}

/** A row of the live list. @param ofSeveral whether there are other sources, so that the row names its own */
export function liveRow(event: FeedEvent, moments: Moments, ofSeveral: boolean): Html {
  const group = 'return_group' in event.data ? event.data.return_group : undefined;
  const source = sourceOf(event);
  const link =
    group !== undefined &&
    html`<a href="${pathOfReturn(source, group.id)}">${orderNameOf(event) ?? group.id}</a>`;
  const named = (ofSeveral || link === false) && html` <span class="meta">source ${source}</span>`;
  return html`<li id="event-${event.id}"><span class="meta number">${moments.short(event.time)}</span> <span class="meta">${event.type}</span> <span>${link}${named}</span> <span>${changeOf(event, moments)}</span>${eventJson(event)}</li>`;
}

/** The name of the event's source. */
export function sourceOf({ source }: Pick<FeedEvent, 'source'>): string {
  return source.split('/').at(-1) ?? '';
}
