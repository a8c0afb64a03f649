// A hold in words: what was found, what is not done meanwhile, and what to do about it.
import type { Hold } from './hold.ts';

/** The finding, in a sentence. */
export function describeHold({ kind, count }: Pick<Hold, 'kind' | 'count'>): string {
  switch (kind) {
    case 'other_store':
      return 'Known return groups are not found any more: the token or the base URL may show another store.';
    case 'removals':
      return `Too many known return groups or entities are missing at once (${count}).`;
    case 'mass_change':
      return `Most return groups suddenly differ without a newer updated_at (${count} of the last compared).`;
  }
}

/** The effect of the hold, and when it ends by itself. */
export function describeConsequence({ kind, phase }: Pick<Hold, 'kind' | 'phase'>): string {
  if (phase === 'publishing') return 'It is over: the next whole walk publishes what was held.';
  if (phase === 'adopting')
    return 'It is over: the next whole walk takes over what was held, without events.';
  switch (kind) {
    case 'other_store':
      return 'Nothing is read from this source. Reading continues by itself once a known return group is found.';
    case 'removals':
      return 'Nothing is published as removed; other changes are. The hold ends by itself after a walk that misses few.';
    case 'mass_change':
      return 'Such changes are not published; all others are. After an hour the next walk publishes those that it still finds.';
  }
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

/** When a release is right: the beginning of a sentence. */
export function describeCondition({ kind }: Pick<Hold, 'kind'>): string {
  return kind === 'other_store'
    ? 'If this is the same store, and its known return groups are really gone'
    : 'If the service is right';
}

/**
 * The whole description, with the commands that end the hold.
 *
 * @param place the options that name the place of the source's state; undefined for a state that is not kept
 */
export function formatHold(hold: Hold, source: string, place: string | undefined): string {
  return [
    describeHold(hold),
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
