// The first page: whether all sources are read and all events delivered, the worst state first.
import type { ConsoleFeed } from './console-feed.ts';
import type { ConsolePage } from './console-server.ts';
import { html } from './html.ts';
import { problemList } from './layout.ts';
import { loadOverview } from './load-overview.ts';
import { destinationTable } from './overview-destinations.ts';
import { drawPlot } from './overview-plots.ts';
import { sourceTable } from './overview-sources.ts';

/** The time between two reads of an open page. docs/cost.md has their price. */
const EVERY_MS = 5_000;

export function createOverviewPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/',
    updates: { everyMs: EVERY_MS },
    async render() {
      const overview = await loadOverview(feed);
      const body = html`
<h1>Overview</h1>
${problemList(overview.problems)}
<h2>Sources: is everything read?</h2>
${overview.sources === null ? html`<p>Unknown.</p>` : sourceTable(overview.sources, feed.moments)}
<h2>Destinations: is everything delivered?</h2>
${destinationTable(overview, feed.moments)}
<h2>The last hour</h2>
${drawPlot(
  (overview.sources ?? []).flatMap(({ activity }) => activity ?? []),
  feed.moments.now(),
)}
<p class="dim">Times in ${feed.moments.zone}.</p>`;
      return { title: 'Overview', body };
    },
  };
}
