// A hold in words: what is held, how many, examples, what happens if nobody acts, and what to do.
import type { Hold } from './hold.ts';

/** What is held, and how many, in a sentence. */
export function describeHold({ kind, count }: Pick<Hold, 'kind' | 'count'>): string {
  switch (kind) {
    case 'other_store':
      return 'Known return groups are not found any more: the token or the address may belong to another store.';
    case 'removals':
      return `${count} known return groups, items or shipments are missing at once.`;
    case 'mass_change':
      return `${count} return groups changed at once, and the service says that they were not updated.`;
  }
}

/** What is not done meanwhile, and what happens if nobody acts. */
export function describeConsequence({ kind, phase }: Pick<Hold, 'kind' | 'phase'>): string {
  if (phase === 'publishing') return 'It is over: the next whole walk publishes what was held.';
  if (phase === 'adopting')
    return 'It is over: the next whole walk takes over what was held, without events.';
  switch (kind) {
    case 'other_store':
      return 'Nothing is read from this source. If nobody acts, reading continues once a known return group is found.';
    case 'removals':
      return 'Nothing is published as removed; other changes are. The hold ends by itself once the service shows most of them again.';
    case 'mass_change':
      return 'These changes are not published; all others are. If nobody acts, the next walk after an hour publishes those that it still finds.';
  }
}

const EXAMPLES = 3;

/** The first held changes with their values; empty if none is known. */
export function describeExamples({ samples }: Pick<Hold, 'samples'>): string[] {
  return samples
    .slice(0, EXAMPLES)
    .map(({ groupId, what, before, after }) => `${groupId}: ${what} ${before} → ${after}`);
}

/** The effect of a release. */
export function describeRelease({ kind }: Pick<Hold, 'kind'>): string {
  switch (kind) {
    case 'other_store':
      return (
        'A release accepts the store that the address and the token show now: its return groups are published, and ' +
        'known ones that it lacks are published as removed, unless they are so many that another guard holds them.'
      );
    case 'removals':
      return 'A release publishes what the next walk misses as removed, each group after two look-ups by its id.';
    case 'mass_change':
      return 'A release publishes the changes that the next walk finds.';
  }
}

/** The question before a hold is ended, with how much that concerns. */
export function questionOf(
  command: 'release' | 'adopt',
  { kind, number, count }: Pick<Hold, 'kind' | 'number' | 'count'>,
): string {
  if (command === 'adopt')
    return `Adopt hold ${number}? The changes of ${count} return groups are stored, and never published.`;
  const what =
    kind === 'other_store'
      ? 'The store that the address shows now is accepted, its return groups are published'
      : kind === 'removals'
        ? `Up to ${count} return groups, items or shipments are published as removed`
        : `The changes of ${count} return groups are published`;
  return `Release hold ${number}? ${what}, and can't be taken back.`;
}

/** When a release is right: the beginning of a sentence. */
export function describeCondition({ kind }: Pick<Hold, 'kind'>): string {
  return kind === 'other_store'
    ? 'If this is the same store, and its known return groups are really gone'
    : 'If the service is right';
}

/**
 * The whole description, with the commands that end the hold. It names fields, never values.
 *
 * @param place the options that name the place of the source's state; undefined for a state that is not kept
 */
export function formatHold(hold: Hold, source: string, place: string | undefined): string {
  // Without values: this text stays in events and logs, which `forget` does not reach.
  const examples = hold.samples.slice(0, EXAMPLES).map(({ groupId, what }) => `${groupId}: ${what}`);
  return [
    describeHold(hold),
    ...(examples.length === 0 ? [] : [`For instance ${examples.join('; ')}.`]),
    describeConsequence(hold),
    ...(hold.phase === 'holding' ? [describeWayOut(hold, source, place)] : []),
  ].join(' ');
}

function describeWayOut(hold: Hold, source: string, place: string | undefined): string {
  if (place === undefined)
    return 'Nothing can release it, because this state is not kept: start "npx returns-feed watch" with --data.';
  const release = `${describeCondition(hold)}: ${holdCommand('release', hold, source, place)}`;
  if (hold.kind !== 'mass_change') return release;
  return `${release}. If only the notation is new: ${holdCommand('adopt', hold, source, place)}`;
}

/** The command that ends a hold. @param place for instance ` --stack ReturnsFeed` */
export function holdCommand(
  command: 'release' | 'adopt',
  { number }: Pick<Hold, 'number'>,
  source: string,
  place: string,
): string {
  return `npx returns-feed ${command} --source ${source} --hold ${number}${place}`;
}
