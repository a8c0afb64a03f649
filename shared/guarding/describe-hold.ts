// A hold in words: what was found, what is not done meanwhile, and what to do about it.
import type { Hold, HoldSample } from './guarding-state.ts';

/** The finding, in a sentence. */
export function describeHold({ guard, suspects }: Hold): string {
  switch (guard) {
    case 'known_group_not_found':
      return 'Known return groups are not found any more: the token or the base URL may show another store.';
    case 'known_range_empty':
      return `A range of creation times shows none of its known return groups (${suspects}).`;
    case 'groups_removed':
      return `Too many known return groups are missing at once (${suspects}).`;
    case 'entities_removed':
      return `Too many entities of return groups are missing at once (${suspects}).`;
    case 'changed_without_stamps':
      return `Far more return groups than usual differ without a newer stamp (${suspects}).`;
  }
}

/** The effect of the hold, and when it ends by itself. */
export function describeConsequence({ guard }: Hold): string {
  switch (guard) {
    case 'known_group_not_found':
      return 'Nothing is read from this source. Reading continues by itself once a known return group is found.';
    case 'known_range_empty':
    case 'groups_removed':
      return 'No return group is published as removed. The hold ends by itself after a walk that finds none missing.';
    case 'entities_removed':
      return 'No entity is published as removed; other changes are. The hold ends by itself after a walk that finds none missing.';
    case 'changed_without_stamps':
      return 'Such changes are not published; all others are. The hold ends by itself after a whole walk that finds no unusual number of them, unless most samples that can be judged still show the held value.';
  }
}

/** The changes that a release publishes. */
export function describeRelease({ guard, suspects }: Hold): string {
  const count = suspects.toLocaleString('en');
  switch (guard) {
    case 'known_group_not_found':
      return (
        'A release accepts the store that the address and the token show now: its return groups are published, and ' +
        'known ones that it lacks are published as removed, unless they are so many that another guard holds them.'
      );
    case 'known_range_empty':
    case 'groups_removed':
      return `A release publishes up to ${count} return groups as removed, each after two look-ups by its id.`;
    case 'entities_removed':
      return `A release publishes up to ${count} entities as removed, each after a second reading that lacks it.`;
    case 'changed_without_stamps':
      return (
        `A release publishes the changes of up to ${count} return groups. If far more differ by then, nothing is ` +
        'published, and a hold with a new number begins.'
      );
  }
}

/** When a release is right: the beginning of a sentence. */
export function describeCondition({ guard }: Pick<Hold, 'guard'>): string {
  return guard === 'known_group_not_found'
    ? 'If this is the same store, and its known return groups are really gone'
    : 'If the service is right';
}

/** A sample for people: without the held value by which walks compare. */
export function describeSample({ groupId, what, before, after }: HoldSample) {
  return { groupId, what, before, after };
}

/**
 * The whole description, with the command that releases the hold.
 *
 * @param place the options that name the place of the source's state; undefined for a state that is not kept
 */
export function formatHold(hold: Hold, source: string, place: string | undefined): string {
  const what =
    place === undefined
      ? 'Nothing can release it, because this state is not kept: start "npx returns-feed watch" with --data.'
      : `${describeCondition(hold)}: ${releaseCommand(hold, source, place)}`;
  return `${describeHold(hold)} ${describeConsequence(hold)} ${what}`;
}

/** The command that releases a hold. @param place for instance ` --stack ReturnsFeed` */
export function releaseCommand({ number }: Hold, source: string, place: string): string {
  return `npx returns-feed release --source ${source} --hold ${number}${place}`;
}
