// A small plot of the last hour, or of the time since the feed began: events a minute.
import { type Instant, MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { formatCount } from '../cli/counts.ts';
import type { Moments } from '../cli/moments.ts';
import type { OverviewSource } from '../status/load-overview.ts';
import { type Html, html } from './html.ts';

const MINUTES = 60;
/** Bars of fewer minutes would be too wide to compare. */
const FEWEST_MINUTES = 10;
/** The width of a bar and the height of a plot, in units of the SVG. */
const [BAR, HEIGHT] = [6, 60];

type Plotted = Pick<OverviewSource, 'activity'> & {
  readonly state: Pick<OverviewSource['state'], 'startedAt'>;
};

export function drawPlot(sources: readonly Plotted[], moments: Moments): Html {
  const nowMs = moments.now();
  const current = Math.floor((nowMs * MILLISECOND) / MINUTE);
  const began = sources.reduce((least, { state }) => Math.min(least, state.startedAt), nowMs * MILLISECOND);
  const age = current - Math.floor(began / MINUTE) + 1;
  const isYoung = age < MINUTES;
  const shown = Math.min(MINUTES, Math.max(FEWEST_MINUTES, age));
  const events = eventsByMinute(sources, (current - shown + 1) * MINUTE, shown);
  const time = (ms: number) => moments.time(ms).slice(0, -':00'.length);
  const since = isYoung ? `since the feed began at ${time(began / MILLISECOND)}` : 'in the last hour';
  const total = events.reduce((sum, count) => sum + count, 0);
  if (total === 0) return html`<p>${sources.length === 0 ? 'No event yet.' : `No event ${since}.`}</p>`;
  const highest = Math.max(...events);
  const caption = `Events a minute: ${formatCount(total)} ${since}, at most ${formatCount(highest)} in one minute`;
  const bars = events.map((count, index) => {
    const height = Math.max(count > 0 ? 1 : 0, (count / highest) * HEIGHT);
    return html`<rect class="bar" x="${index * BAR}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR - 1}" height="${height.toFixed(1)}"/>`;
  });
  const width = shown * BAR;
  const at = (minutesAgo: number) => time(nowMs - minutesAgo * 60_000);
  return html`<figure class="plot"><div class="scale" aria-hidden="true"><span>${formatCount(highest)}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${HEIGHT + 1}" preserveAspectRatio="none" role="img" aria-label="${caption}">${bars}<line class="axis" x1="0" y1="${HEIGHT}" x2="${width}" y2="${HEIGHT}"/></svg>
<div class="hours" aria-hidden="true"><span>${at(shown - 1)}</span><span>${at(Math.floor(shown / 2))}</span><span>${at(0)}</span></div>
<figcaption>${caption}</figcaption></figure>`;
}

/** The events of each minute of all sources, oldest first, including minutes without events. */
function eventsByMinute(sources: readonly Plotted[], first: Instant, count: number): number[] {
  const events = Array.from({ length: count }, () => 0);
  for (const { from, events: some } of sources.flatMap(({ activity }) => activity?.minutes ?? [])) {
    const place = (from - first) / MINUTE;
    const before = events[place];
    if (before !== undefined) events[place] = before + some;
  }
  return events;
}
