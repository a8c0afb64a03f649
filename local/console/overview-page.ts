// The first page: the verdict and what to do, then every source and destination, the worst first.

import type { Moments } from '../cli/moments.ts';
import { headlineOf, sentenceOf } from '../status/format-status.ts';
import type { Concern, FeedVerdict } from '../status/judge-feed.ts';
import type { ConsoleFeed } from './console-feed.ts';
import type { ConsolePage } from './console-server.ts';
import { type Html, html } from './html.ts';
import { badge, nextStep, problemList, type Tone } from './layout.ts';
import { destinationTable } from './overview-destinations.ts';
import { drawPlot } from './overview-plots.ts';
import { sourceTable } from './overview-sources.ts';

/** The time between two reads of an open page. docs/cost.md has their price. */
const EVERY_MS = 5_000;
/** Problems that are shown here; the page Stuck has all. */
const SHOWN = 3;

export function createOverviewPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/',
    updates: { everyMs: EVERY_MS },
    async render({ fields }) {
      const { overview, verdict } = await feed.judge();
      const { sources, subscribers } = overview;
      const { moments } = feed;
      const body = html`
<h1>Overview</h1>
${verdictNotice(verdict, sources !== null, moments)}
${problemList(overview.problems)}
<h2 id="sources">Sources: is everything read?</h2>
${sources === null ? html`<p>Unknown.</p>` : sourceTable(sources, fields, moments)}
<h2>Destinations: is everything delivered?</h2>
${destinationTable(verdict.destinations)}
${subscribers.subscribers.length > 0 && html`<p class="dim">Subscribers as of ${moments.short(subscribers.askedAtMs)}; updated once a minute.</p>`}
<h2>The last hour</h2>
${sources === null ? html`<p>Unknown.</p>` : drawPlot(sources, moments)}
<p class="dim">Times in ${moments.zone}.</p>`;
      return { title: 'Overview', body };
    },
  };
}

/** @param isKnown whether the sources could be read: without them there is nothing to judge */
function verdictNotice(verdict: FeedVerdict, isKnown: boolean, moments: Moments): Html {
  const { concerns, unknown } = verdict;
  if (concerns.length === 0 && !isKnown) return headline('bad', 'It is not known whether all is well');
  if (concerns.length === 0) {
    const tone = verdict.verdict === 'well' && unknown.length === 0 ? 'good' : 'busy';
    return headline(tone, headlineOf(verdict, moments));
  }
  const more = concerns.length - SHOWN;
  return html`<section class="verdict bad" aria-label="Verdict">${concerns.slice(0, SHOWN).map((concern) => concernNotice(concern, moments))}
<p><a href="/stuck">${more > 0 ? `All ${concerns.length} problems` : 'Details'}</a></p></section>`;
}

function headline(tone: Tone, text: string): Html {
  return html`<section class="verdict ${tone}" aria-label="Verdict"><p class="headline">${badge(tone, text)}</p></section>`;
}

function concernNotice(concern: Concern, moments: Moments): Html {
  const [first] = concern.nextSteps;
  return html`<p class="headline">${badge('bad', sentenceOf(concern, moments))}</p>
${concern.meanwhile !== undefined && html`<p>${concern.meanwhile}</p>`}${first !== undefined && nextStep(first)}`;
}
