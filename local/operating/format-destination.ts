// Formats what a destination has got as one line, if it fits.
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { wrapWords } from '../cli/wrap.ts';
import type { BehindReturn, DestinationStatus } from './destination-status.ts';

export function formatDestination(
  destination: DestinationStatus,
  moments: Moments,
  { width, colors }: Layout,
): string[] {
  const { title, state, needsAttention } = destination;
  const paint = needsAttention ? colors.red : state === 'all sent' ? colors.green : (text: string) => text;
  const start = printable(`${title}  ${state}`);
  const text = [start, ...detailsOf(destination, moments)].join('; ');
  const [first = '', ...others] = wrapWords(printable(text), width - 2);
  const painted = first.startsWith(start)
    ? `${printable(title)}  ${colors.bold(paint(state))}${first.slice(start.length)}`
    : first;
  return [painted, ...others.map((line) => `  ${line}`)];
}

function detailsOf(destination: DestinationStatus, moments: Moments): string[] {
  const { kind, oldestMs, behind, isCut, lastAcceptedAt, failures, failingSince } = destination;
  const noun = kind === 'subscriber' ? 'event' : 'return';
  const isReceiver = kind === 'webhook' || kind === 'forwarded';
  return [
    ...waitingOf(destination, noun),
    ...(oldestMs === null || isReceiver ? [] : [`the oldest for ${formatDuration(oldestMs)}`]),
    ...(behind === null || behind === 0
      ? []
      : [`${isCut ? 'more than ' : ''}${counted(behind, noun)} not accepted${named(destination, moments)}`]),
    ...(isReceiver
      ? [`last accepted ${lastAcceptedAt === null ? 'never' : moments.withAge(lastAcceptedAt)}`]
      : []),
    ...(failures > 0 && failingSince !== null
      ? [
          `${destination.lastFailure ?? 'failed'}, ${failures === 1 ? 'once' : `${failures} times in a row`}, ` +
            `since ${moments.short(failingSince)}`,
        ]
      : []),
  ];
}

/** For instance `173 returns (402 events) waiting` or `50 or more returns waiting`. */
function waitingOf({ waiting, waitingEvents, isMoreWaiting }: DestinationStatus, noun: string): string[] {
  if (waiting === null) return [];
  const count = isMoreWaiting ? `${formatCount(waiting)} or more ${noun}s` : counted(waiting, noun);
  const isMoreSaid = noun === 'return' && waiting > 0 && waitingEvents !== null;
  return [`${count}${isMoreSaid ? ` (${counted(waitingEvents, 'event')})` : ''} waiting`];
}

/** `--json` prints all of them. */
const NAMED = 3;

/** For instance `: acme 184467 at event 2 since 10:10:30`. */
function named({ returns }: DestinationStatus, moments: Moments): string {
  if (returns.length === 0) return '';
  const more = returns.length > NAMED ? ` and ${returns.length - NAMED} more` : '';
  return `: ${returns
    .slice(0, NAMED)
    .map((each) => nameOf(each, moments))
    .join(', ')}${more}`;
}

function nameOf({ source, returnGroupId, event, since }: BehindReturn, moments: Moments): string {
  const age = since === null ? '' : ` since ${moments.short(since)}`;
  return `${source} ${returnGroupId ?? 'feed'} at event ${event}${age}`;
}
