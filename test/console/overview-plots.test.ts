import { expect, test } from 'vitest';
import { createMoments } from '../../local/cli/moments.ts';
import { textOf } from '../../local/console/html.ts';
import { drawPlot } from '../../local/console/overview-plots.ts';
import { MILLISECOND, MINUTE } from '../../shared/instant.ts';
import { NOW } from './scene-states.ts';

const moments = createMoments({ zone: 'UTC', now: () => NOW / MILLISECOND });
const MINUTE_NOW = Math.floor(NOW / MINUTE);

/** The plot of sources that began so many minutes ago, each with two events in each of these minutes. */
function plotOf(...ages: readonly number[]): string {
  return plotWith(2, ages);
}

function plotWith(events: number, ages: readonly number[]): string {
  const sources = ages.map((age) => ({
    state: { startedAt: NOW - age * MINUTE },
    activity: {
      recent: [],
      minutes: Array.from({ length: age }, (_, ago) => ({ from: (MINUTE_NOW - ago) * MINUTE, events })),
    },
  }));
  return textOf(drawPlot(sources, moments));
}

const barsOf = (plot: string) =>
  [...plot.matchAll(/class="bar"[^>]* height="([\d.]+)"/g)].map(([, height]) => Number(height));

test('the plot of a feed that just began has only its minutes, and names the first', () => {
  const plot = plotOf(20);

  expect(barsOf(plot)).toEqual([0, ...Array.from({ length: 20 }, () => 60)]);
  expect(plot).toContain('Events a minute: 40 since the feed began at 09:55, at most 2 in one minute');
});

test('the plot of a busy feed groups the digits of its numbers', () => {
  const plot = plotWith(1_500, [20]);

  expect(plot).toContain('30,000 since the feed began at 09:55, at most 1,500 in one minute');
});

test('the plot of an older feed has the minutes of the last hour, and all sources together', () => {
  const plot = plotOf(90, 30);

  expect(barsOf(plot)).toEqual([
    ...Array.from({ length: 30 }, () => 30),
    ...Array.from({ length: 30 }, () => 60),
  ]);
  expect(plot).toContain('Events a minute: 180 in the last hour, at most 4 in one minute');
});

test('a feed without events has a sentence in place of a plot', () => {
  const quiet = [{ state: { startedAt: NOW - 3 * MINUTE }, activity: undefined }];

  expect(textOf(drawPlot(quiet, moments))).toBe('<p>No event since the feed began at 10:12.</p>');
  expect(textOf(drawPlot([], moments))).toBe('<p>No event yet.</p>');
});
