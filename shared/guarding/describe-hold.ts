// A hold in words: what is held, how many, examples, what happens if nobody acts, and what to do.
import type { Hold } from './hold.ts';
import { isAdoptable } from './release-hold.ts';

/** What is held, and how many, in a sentence. */
export function describeHold({ kind, count }: Pick<Hold, 'kind' | 'count'>): string {
  switch (kind) {
    case 'other_store':
      return 'Known return groups are not found any more: the token or the address may belong to another store.';
    case 'removals':
      return `${count} known return groups, items or shipments are missing at once.`;
    case 'mass_change':
      return `At least ${count} return groups changed at once, and the service gives them no newer updated_at.`;
    case 'backfill':
      return `At least ${count} return groups that were created before the feed began show for the first time.`;
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
    case 'backfill':
      return 'They are not published, and neither are their changes. The hold ends by itself once the service shows none of them any more.';
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
    case 'backfill':
      return 'A release publishes those that the next walk finds as created, with `backfill`.';
  }
}

/** The question before a hold is ended, with how much that concerns. */
export function questionOf(
  command: 'release' | 'adopt',
  { kind, number, count }: Pick<Hold, 'kind' | 'number' | 'count'>,
): string {
  const groups = `at least ${count} return groups`;
  if (command === 'adopt') {
    const what = kind === 'backfill' ? `A${groups.slice(1)}` : `The changes of ${groups}`;
    return `Adopt hold ${number}? ${what} are stored, and never published.`;
  }
  const effects = {
    other_store: 'The store that the address shows now is accepted, its return groups are published',
    removals: `Up to ${count} return groups, items or shipments are published as removed`,
    mass_change: `The changes of ${groups} are published`,
    backfill: `A${groups.slice(1)} are published as created`,
  };
  return `Release hold ${number}? ${effects[kind]}, and can't be taken back.`;
}

/** When a release is right: the beginning of a sentence. */
export function describeCondition({ kind }: Pick<Hold, 'kind'>): string {
  return kind === 'other_store'
    ? 'If this is the same store, and its known return groups are really gone'
    : kind === 'backfill'
      ? 'If subscribers need them'
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
    return 'Nothing can release it, because this state is not kept: start "npx --no returns-feed watch" with --data.';
  const release = `${describeCondition(hold)}: ${holdCommand('release', hold, source, place)}`;
  if (!isAdoptable(hold)) return release;
  const adopt = hold.kind === 'backfill' ? 'If they need none of them' : 'If only the notation is new';
  return `${release}. ${adopt}: ${holdCommand('adopt', hold, source, place)}`;
}

/** The command that ends a hold. @param place for instance ` --stack ReturnsFeed` */
export function holdCommand(
  command: 'release' | 'adopt',
  { number }: Pick<Hold, 'number'>,
  source: string,
  place: string,
): string {
  return `npx --no returns-feed ${command} --source ${source} --hold ${number}${place}`;
}
