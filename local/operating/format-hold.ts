// Formats a hold as text: what is held and since when, samples of it, and the command that releases it.

import { describeCondition } from '../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../shared/guarding/hold.ts';
import { formatCommand, formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import type { HoldStatus } from './source-status.ts';

export function formatHold(hold: HoldStatus, moments: Moments, { width }: Layout): string[] {
  const { number, since, message, consequence, command } = hold;
  const texts = [message, `Since ${moments.withAge(since)}. ${consequence}`, ...sampleLines(hold)];
  return [
    ...formatEntry(`hold ${number}`, texts, width),
    ...formatEntry('', [`${describeCondition(hold)}, publish it:`], width),
    ...formatCommand(command, width),
  ];
}

/** For instance `184467: shipment/77120 status IN_TRANSIT → DELIVERED`, and how many more there are. */
export function sampleLines({ samples, suspects }: Pick<Hold, 'samples' | 'suspects'>): string[] {
  const lines = samples.map(({ groupId, what, before, after }) => `${groupId}: ${what} ${before} → ${after}`);
  const more = suspects - samples.length;
  return samples.length > 0 && more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}
