// The story of a return: one row per event, with the window in which each change showed as a bar on a time line.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Moments } from '../cli/moments.ts';
import type { ExplainedEvent, ExplainedMark, Explanation } from '../operating/explain-group.ts';
import { changeOf, eventJson } from './event-view.ts';
import { type Content, type Html, html } from './html.ts';
import { table } from './layout.ts';

/** Of the time line, in its own units; the page scales it. */
const [WIDTH, HEIGHT, NARROWEST] = [160, 12, 2];

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Newest first: what people ask about is mostly the present. */
export function storyOf({ events, marks }: Explanation, moments: Moments): Html {
  const whole = spanOf(events);
  return table(
    'Story, newest first',
    ['No.', 'What changed', 'When', 'Time line', 'Found by', 'Delivered', 'Event'],
    events.toReversed().map((entry) => rowOf(entry, marks, whole, moments)),
  );
}

function rowOf(
  { sequence, event, undecodable }: ExplainedEvent,
  marks: readonly ExplainedMark[],
  whole: Span,
  moments: Moments,
): Content[] {
  const delivered = marks.map((mark) => deliveryTo(mark, sequence));
  if (event === null)
    return [sequence, `It can't be decoded: ${undecodable ?? ''}`, '', '', '', delivered, ''];
  return [
    sequence,
    changeOf(event, moments),
    windowInWords(event, moments),
    bar(event, whole, moments),
    event.data.observed.through,
    delivered,
    eventJson(event),
  ];
}

function deliveryTo({ destination, sentThrough, isWebhook }: ExplainedMark, sequence: number): Html {
  const isSent = sentThrough !== null && sentThrough >= sequence;
  // A webhook's mark moves only with events that its filter lets through.
  const text = isSent ? '✓' : isWebhook ? '– not sent, or filtered out:' : '… waits for';
  return html`<span class="${isSent ? 'good' : 'busy'}">${text} ${destination}</span><br>`;
}

function windowInWords({ data: { observed } }: FeedEvent, moments: Moments): string {
  const by = moments.short(observed.by);
  return observed.after === null ? `first seen ${by}` : `${moments.short(observed.after)} to ${by}`;
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
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${windowInWords(event, moments)}"><line class="axis" x1="0" y1="11" x2="${WIDTH}" y2="11"/><rect class="window" x="${start.toFixed(1)}" y="2" width="${width.toFixed(1)}" height="8"/></svg>`;
}
