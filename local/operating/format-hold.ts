// Formats a hold as text: what is held and since when, samples of it, and the commands that end it.
import { describeCondition, describeExamples } from '../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../shared/guarding/hold.ts';
import { formatCommand, formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { adoptConditionOf } from './judge-feed.ts';
import type { HoldStatus } from './source-status.ts';

export function formatHold(hold: HoldStatus, moments: Moments, { width }: Layout): string[] {
  const { number, since, message, consequence, release, adopt } = hold;
  const examples = describeExamples(hold).map((each, at) => (at === 0 ? `For instance ${each}` : each));
  const texts = [message, ...examples, `Since ${moments.withAge(since)}. ${consequence}`];
  const way = (text: string, command: string | null) =>
    command === null ? [] : [...formatEntry('', [text], width), ...formatCommand(command, width)];
  return [
    ...formatEntry(`hold ${number}`, texts, width),
    ...way(`${describeCondition(hold)}, publish it:`, release),
    ...way(adoptConditionOf(hold), adopt),
  ];
}

/** For instance `184467: shipment/77120 status IN_TRANSIT → DELIVERED`, and how many more there are. */
export function sampleLines({ samples, count }: Pick<Hold, 'samples' | 'count'>): string[] {
  const lines = samples.map(({ groupId, what, before, after }) => `${groupId}: ${what} ${before} → ${after}`);
  const more = count - samples.length;
  return samples.length > 0 && more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}
