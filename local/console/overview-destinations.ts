// The overview's table of destinations, the worst state first.
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { type DestinationState, type DestinationStatus, nounOf } from '../status/destination-status.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, type Tone, table } from './layout.ts';

export function destinationTable(destinations: readonly DestinationStatus[]): Html {
  return table(
    'Destinations',
    ['Destination', 'State', 'Waiting', 'Oldest', 'Behind'],
    destinations.map(rowOf),
  );
}

const TONES: Readonly<Record<DestinationState, Tone>> = {
  failing: 'bad',
  paused: 'bad',
  behind: 'bad',
  'dead letters': 'bad',
  dropped: 'bad',
  retrying: 'busy',
  delayed: 'busy',
  sending: 'busy',
  unread: 'idle',
  new: 'idle',
  unknown: 'idle',
  'all sent': 'good',
  'all read': 'good',
};

function rowOf(destination: DestinationStatus): Content[] {
  const { title, state, waiting, isMoreWaiting, oldestMs, behind, isCut } = destination;
  const noun = nounOf(destination);
  return [
    title,
    badge(TONES[state], state),
    waiting === null ? '–' : isMoreWaiting ? `${formatCount(waiting)} or more` : counted(waiting, noun),
    oldestMs === null ? '–' : formatDuration(oldestMs),
    behind === null
      ? '–'
      : behind === 0
        ? '0'
        : html`<a href="/stuck">${isCut ? 'more than ' : ''}${counted(behind, noun)}</a>`,
  ];
}
