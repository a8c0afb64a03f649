// Two small plots of the last hour: changes a minute, and the time from a change to its event.
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import type { ActiveMinute, Activity } from '../../shared/reporting/activity.ts';
import { formatDuration } from '../cli/durations.ts';
import { type Html, html } from './html.ts';

const MINUTES = 60;
/** The width of a bar and the height of a plot, in units of the SVG. */
const [BAR, HEIGHT] = [6, 60];

/** @param nowMs milliseconds since the epoch */
export function drawPlots(activities: readonly Activity[], nowMs: number): Html {
  const minutes = sumByMinute(activities, nowMs);
  const events = minutes.map((minute) => minute.events);
  const longest = minutes.map((minute) => minute.longestDelayMs);
  const mean = minutes.map(({ delayed, delaySumMs }) => (delayed === 0 ? 0 : delaySumMs / delayed));
  const total = events.reduce((sum, count) => sum + count, 0);
  const delayed = minutes.reduce((sum, minute) => sum + minute.delayed, 0);
  const overall = minutes.reduce((sum, minute) => sum + minute.delaySumMs, 0) / Math.max(1, delayed);
  const changes = `Changes a minute: ${total} in the last hour, at most ${Math.max(...events)} in one minute`;
  const delays =
    delayed === 0
      ? 'Time from change to event: no change with a known time in the last hour'
      : `Time from change to event: ${formatDuration(overall, 1)} on average, ${formatDuration(Math.max(...longest), 1)} at most`;
  return html`<div class="plots">
${plot(changes, [{ values: events, kind: 'bar' }])}
${plot(delays, [
  { values: longest, kind: 'longest' },
  { values: mean, kind: 'bar' },
])}
</div>`;
}

interface Series {
  readonly values: readonly number[];
  readonly kind: 'bar' | 'longest';
}

function plot(caption: string, series: readonly Series[]): Html {
  const highest = Math.max(1, ...series.flatMap(({ values }) => values));
  const bars = series.flatMap(({ values, kind }) =>
    values.map((value, index) => {
      const height = Math.max(value > 0 ? 1 : 0, (value / highest) * HEIGHT);
      return html`<rect class="${kind}" x="${index * BAR}" y="${(HEIGHT - height).toFixed(1)}" width="${BAR - 1}" height="${height.toFixed(1)}"/>`;
    }),
  );
  const width = MINUTES * BAR;
  return html`<figure><svg class="plot" viewBox="0 0 ${width} ${HEIGHT + 1}" preserveAspectRatio="none" role="img" aria-label="${caption}">${bars}<line class="axis" x1="0" y1="${HEIGHT}" x2="${width}" y2="${HEIGHT}"/></svg>
<figcaption>${caption}</figcaption></figure>`;
}

/** The last hour's minutes, oldest first, including minutes without events. */
function sumByMinute(
  activities: readonly Activity[],
  nowMs: number,
): Omit<ActiveMinute, 'from' | 'requests'>[] {
  const current = Math.floor((nowMs * MILLISECOND) / MINUTE);
  return Array.from({ length: MINUTES }, (_, index) => {
    const wanted = (current - MINUTES + 1 + index) * MINUTE;
    const found = activities.flatMap(({ minutes }) => minutes.filter(({ from }) => from === wanted));
    return {
      events: found.reduce((sum, { events }) => sum + events, 0),
      delayed: found.reduce((sum, { delayed }) => sum + delayed, 0),
      delaySumMs: found.reduce((sum, { delaySumMs }) => sum + delaySumMs, 0),
      longestDelayMs: Math.max(0, ...found.map(({ longestDelayMs }) => longestDelayMs)),
    };
  });
}
