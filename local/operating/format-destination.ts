// Formats what a destination has got as one line, if it fits.
import { counted } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { wrapWords } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import type { DestinationStatus } from './destination-status.ts';

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
  const { kind, waiting, oldestMs, behind, isCut, lastAcceptedAt, failures, failingSince } = destination;
  const noun = kind === 'subscriber' ? 'event' : 'return';
  const isReceiver = kind === 'webhook' || kind === 'forwarded';
  return [
    ...(waiting === null ? [] : [`${counted(waiting, noun)} waiting`]),
    ...(oldestMs === null || isReceiver ? [] : [`the oldest for ${formatDuration(oldestMs)}`]),
    ...(behind === null || behind === 0
      ? []
      : [`${isCut ? 'more than ' : ''}${counted(behind, noun)} not accepted`]),
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
