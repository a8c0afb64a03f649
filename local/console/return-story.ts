// The story of a return: one row per event. A bar on a time line shows the window in which the change appeared.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { admitsEvent } from '../../shared/webhooks/webhook-sender.ts';
import type { Moments } from '../cli/moments.ts';
import {
  type ExplainedEvent,
  type ExplainedMark,
  type Explanation,
  isSkipped,
} from '../operating/explain-group.ts';
import type { WebhookLabels } from '../place/open-feed.ts';
import { changeOf, eventJson } from './event-view.ts';
import { type Content, type Html, html } from './html.ts';
import { table } from './layout.ts';

/** The size of the time line and the minimum width of a bar, in units of the SVG. */
const [WIDTH, HEIGHT, NARROWEST] = [160, 12, 2];

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The titles of destinations on pages, by their names in commands. */
export type Titles = ReadonlyMap<string, string>;

/** The rows of the story, newest first, because most questions are about the present. */
export function storyOf(
  { events, marks }: Explanation,
  webhooks: readonly WebhookLabels[],
  titles: Titles,
  moments: Moments,
): Html {
  const whole = spanOf(events);
  const filters = new Map(webhooks.map(({ name, filter }) => [name, filter]));
  const destinations = marks.map((mark) => ({
    ...mark,
    filter: filters.get(mark.destination),
    title: titles.get(mark.destination) ?? mark.destination,
  }));
  return table(
    'Story, newest first',
    ['No.', 'Change', 'When', 'Time line', 'Found by', 'Delivered'],
    events.toReversed().map((entry) => rowOf(entry, destinations, whole, moments)),
  );
}

interface StoryDestination extends ExplainedMark {
  /** Undefined for a destination without a filter, and if the filter is unknown. */
  readonly filter: EventFilter | undefined;
  readonly title: string;
}

function rowOf(
  { sequence, event, undecodable }: ExplainedEvent,
  destinations: readonly StoryDestination[],
  whole: Span,
  moments: Moments,
): Content[] {
  const delivered = destinations.map((each) => deliveryTo(each, sequence, event));
  if (event === null) return [sequence, `It can't be decoded: ${undecodable ?? ''}`, '', '', '', delivered];
  return [
    sequence,
    html`${changeOf(event, moments)} ${eventJson(event)}`,
    momentInWords(event, moments),
    bar(event, whole, moments),
    event.data.observed.through,
    delivered,
  ];
}

/** Returns false if the webhook's filter excludes the event: it never gets it, and its mark may stay below the event. */
function deliveryTo(
  { title, sentThrough, skipped, isWebhook, filter }: StoryDestination,
  sequence: number,
  event: FeedEvent | null,
): Html | false {
  if (filter !== undefined && event !== null && !admitsEvent(filter, event)) return false;
  if (isSkipped({ skipped }, sequence)) return html`<span class="bad">✗ skipped for ${title}</span><br>`;
  const isSent = sentThrough !== null && sentThrough >= sequence;
  const text = isSent ? '✓' : isWebhook ? notSentYet(sentThrough, filter) : '… waits for';
  // A URL breaks nowhere: with a plain space it would leave its sign alone on a line.
  return html`<span class="${isSent ? 'good' : 'busy'}">${text}\u00a0${title}</span><br>`;
}

/** A webhook without a mark may have been added later: then it only gets the return's next events. */
function notSentYet(sentThrough: number | null, filter: EventFilter | undefined): string {
  if (filter === undefined) return '– not sent, or filtered out:';
  return sentThrough === null ? '– nothing sent yet to' : '… waits for';
}

/** The service's own moment first, if the return's stamp moved: otherwise `time` is that of the reading. */
function momentInWords({ time, data: { observed } }: FeedEvent, moments: Moments): string {
  const by = moments.short(observed.by);
  const seen = observed.after === null ? `first seen ${by}` : `${moments.short(observed.after)} to ${by}`;
  return time === observed.by ? seen : `${moments.short(time)} (seen ${seen.replace('first seen', 'first')})`;
}

function spanOf(events: readonly ExplainedEvent[]): Span {
  const times = events.flatMap(({ event }) => {
    if (event === null) return [];
    const { after, by } = event.data.observed;
    return [...(after === null ? [] : [Date.parse(after)]), Date.parse(by)];
  });
  const from = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  return { from, to: times.reduce((most, time) => Math.max(most, time), from) };
}

function bar(event: FeedEvent, whole: Span, moments: Moments): Html {
  const { after, by } = event.data.observed;
  const scale = (WIDTH - NARROWEST) / Math.max(1, whole.to - whole.from);
  const end = (Date.parse(by) - whole.from) * scale + NARROWEST;
  const start = after === null ? end - NARROWEST : (Date.parse(after) - whole.from) * scale;
  const width = Math.max(NARROWEST, end - start);
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${momentInWords(event, moments)}"><line class="axis" x1="0" y1="11" x2="${WIDTH}" y2="11"/><rect class="window" x="${start.toFixed(1)}" y="2" width="${width.toFixed(1)}" height="8"/></svg>`;
}
