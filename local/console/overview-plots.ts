// A small plot of the last hour: events a minute.
import type { Activity } from '../../functions/adapters/dynamodb-activities.ts';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { Moments } from '../cli/moments.ts';
import { type Html, html } from './html.ts';

const MINUTES = 60;
/** The width of a bar and the height of a plot, in units of the SVG. */
const [BAR, HEIGHT] = [6, 60];

export function drawPlot(activities: readonly Activity[], moments: Moments): Html {
  const nowMs = moments.now();
  const events = eventsByMinute(activities, nowMs);
  const total = events.reduce((sum, count) => sum + count, 0);
  const highest = Math.max(...events);
  const caption = `Events a minute: ${total} in the last hour, at most ${highest} in one minute`;
  const bars = events.map((count, index) => {
    const height = Math.max(count > 0 ? 1 : 0, (count / Math.max(1, highest)) * HEIGHT);
    return html`<rect class="bar" x="${index * BAR}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR - 1}" height="${height.toFixed(1)}"/>`;
  });
  const width = MINUTES * BAR;
  const at = (minutesAgo: number) => moments.time(nowMs - minutesAgo * 60_000).slice(0, -':00'.length);
  return html`<figure class="plot"><div class="scale" aria-hidden="true"><span>${highest}</span><span>0</span></div>
<svg viewBox="0 0 ${width} ${HEIGHT + 1}" preserveAspectRatio="none" role="img" aria-label="${caption}">${bars}<line class="axis" x1="0" y1="${HEIGHT}" x2="${width}" y2="${HEIGHT}"/></svg>
<div class="hours" aria-hidden="true"><span>${at(59)}</span><span>${at(30)}</span><span>${at(0)}</span></div>
<figcaption>${caption}</figcaption></figure>`;
}

/** The last hour's minutes, oldest first, including minutes without events. */
function eventsByMinute(activities: readonly Activity[], nowMs: number): number[] {
  const current = Math.floor((nowMs * MILLISECOND) / MINUTE);
  return Array.from({ length: MINUTES }, (_, index) => {
    const wanted = (current - MINUTES + 1 + index) * MINUTE;
    return activities
      .flatMap(({ minutes }) => minutes.filter(({ from }) => from === wanted))
      .reduce((sum, { events }) => sum + events, 0);
  });
}
