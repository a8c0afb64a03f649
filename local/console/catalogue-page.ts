// The page with all event types, each with a recorded example.

import { EVENT_SCHEMAS, type EventType } from '../../shared/contract/event.ts';
import { PUBLISHED_WHEN } from '../../shared/contract/event-descriptions.ts';
import { readExample } from '../operating/example-events.ts';
import type { ConsolePage } from './console-server.ts';
import { eventJson } from './event-view.ts';
import { html } from './html.ts';

export function createCataloguePage(): ConsolePage {
  return {
    path: '/catalogue',
    async render() {
      const types = Object.keys(EVENT_SCHEMAS) as EventType[];
      const body = html`
<h1>Events</h1>
<p>Each type with an example that the feed recorded from the reference service.</p>
${types.map(
  (type) =>
    html`<h2 id="${type}"><code>${type}</code></h2><p>${PUBLISHED_WHEN[type]}</p>${eventJson(readExample(type))}`,
)}`;
      return { title: 'Events', body };
    },
  };
}
