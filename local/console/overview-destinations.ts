// The overview's table of destinations, the worst state first.
import { formatDuration } from '../cli/durations.ts';
import type { Moments } from '../cli/moments.ts';
import type { BehindGroups } from '../operating/find-behind.ts';
import type { SubscriberStatus } from '../operating/list-subscribers.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, type Tone, table } from './layout.ts';
import type { Overview, OverviewWebhook, RelayedDestination } from './load-overview.ts';

interface Line {
  readonly tone: Tone;
  readonly cells: readonly Content[];
}

const WORST_FIRST: readonly Tone[] = ['bad', 'busy', 'idle', 'good'];

export function destinationTable({ relays, subscribers, webhooks }: Overview, moments: Moments): Html {
  const lines = [
    ...relays.map((relay) => relayLine(relay, moments)),
    ...subscribers.subscribers.map(subscriberLine),
    ...webhooks.map((webhook) => webhookLine(webhook, moments)),
  ].sort((a, b) => WORST_FIRST.indexOf(a.tone) - WORST_FIRST.indexOf(b.tone));
  const asOf = moments.short(new Date(subscribers.askedAtMs).toISOString());
  return html`${table(
    'Destinations',
    ['Destination', 'State', 'Waiting', 'Oldest', 'Behind'],
    lines.map(({ cells }) => cells),
  )}${subscribers.subscribers.length > 0 && html`<p class="dim">Subscribers as of ${asOf}; updated once a minute.</p>`}`;
}

function relayLine({ labels, waiting, oldest, behind }: RelayedDestination, moments: Moments): Line {
  const tone = isBehind(behind)
    ? 'bad'
    : waiting === null || behind === null
      ? 'idle'
      : waiting > 0
        ? 'busy'
        : 'good';
  const state = { bad: 'behind', busy: 'sending', good: 'all sent', idle: 'unknown' }[tone];
  return {
    tone,
    cells: [
      labels.title,
      badge(tone, state),
      waiting === null ? '–' : numberOf(waiting, 'return'),
      oldest === null ? '–' : moments.age(oldest),
      behindOf(behind),
    ],
  };
}

function subscriberLine({ queue, waiting, oldestSeconds, deadLetters }: SubscriberStatus): Line {
  const tone = (deadLetters ?? 0) > 0 ? 'bad' : waiting === null ? 'idle' : waiting > 0 ? 'busy' : 'good';
  const state = { bad: 'dead letters', busy: 'working', good: 'all taken', idle: 'unknown' }[tone];
  return {
    tone,
    cells: [
      `subscriber ${queue}`,
      badge(tone, state),
      waiting === null ? '–' : numberOf(waiting, 'event'),
      // CloudWatch still reports the age for a while after the last message is gone.
      oldestSeconds === null || waiting === 0 ? '–' : formatDuration(oldestSeconds * 1_000),
      deadLetters === null
        ? '–'
        : deadLetters === 0
          ? '0'
          : html`<a href="/stuck">${numberOf(deadLetters, 'event')}</a>`,
    ],
  };
}

const TONES = { failing: 'bad', paused: 'bad', delayed: 'busy', working: 'good', new: 'idle' } as const;

function webhookLine({ status, behind }: OverviewWebhook, moments: Moments): Line {
  const { webhook, state, waiting, failingSince, host } = status;
  const tone = isBehind(behind) ? 'bad' : TONES[state];
  const name = host === null ? webhook : `${webhook} (${host})`;
  return {
    tone,
    cells: [
      `webhook ${name}`,
      badge(tone, state),
      waiting === null ? '–' : numberOf(waiting, 'return'),
      failingSince === null ? '–' : moments.age(failingSince),
      behindOf(behind),
    ],
  };
}

/** For instance `1 event` or `2 events`. */
export function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function isBehind(behind: BehindGroups | null): boolean {
  return behind !== null && behind.groups.length > 0;
}

function behindOf(behind: BehindGroups | null): Content {
  if (behind === null) return '–';
  const { groups, isCut } = behind;
  if (groups.length === 0) return '0';
  return html`<a href="/stuck">${isCut ? 'more than ' : ''}${numberOf(groups.length, 'return')}</a>`;
}
