// Draws the knobs of ordinary plans. Other plans draw the rest (profiles.ts, unusual-plans.ts, open-groups-plans.ts,
// stamps-plans.ts, turn.ts); coverage.ts lists those that no plan turns.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import { ORDERS } from '../../local/reference-service/store/orders.ts';
import type { Random } from '../../local/reference-service/store/seeded-random.ts';
import type { Profile, SimulatedSettings } from './plan.ts';

const EMPTY_ARRAYS = ['null-if-empty', 'absent-if-empty'] as const;

export function drawKnobs(random: Random, settings: SimulatedSettings, profile: Profile): Partial<Knobs> {
  const knobs: Partial<Knobs> = {};
  const maybe = <Name extends keyof Knobs>(name: Name, share: number, draw: () => Knobs[Name]) => {
    // Always drawn, so that other draws do not depend on it.
    const isTurned = random.chance(share);
    const value = draw();
    if (isTurned) knobs[name] = value;
  };
  // The guarantees of polls need pages of at least ten rows.
  const isNarrow = random.chance(profile === 'polls' ? 0 : 0.15);
  maybe('order', 0.6, () => random.pick(ORDERS));
  maybe('ties', 0.2, () => 'unstable');
  maybe('limitMax', 0.6, () => random.pick(isNarrow ? [1, 2, 3, 5, 9] : [10, 11, 13, 20, 50]));
  maybe('limitOver', 0.25, () => 'refuse');
  maybe('limitDefault', 0.2, () => 1 + random.below(3));
  maybe('limitChanges', isNarrow ? 0 : 0.15, () => `${20 + random.below(60)}:${10 + random.below(30)}`);
  maybe('pageBytes', 0.1, () => random.pick([...(isNarrow ? [1] : []), 65_536, 90_000]));
  maybe('lowerBound', 0.3, () => 'exclusive');
  maybe('upperBound', 0.3, () => 'exclusive');
  maybe('stampPrecision', 0.4, () => random.pick(['ms', 's']));
  maybe('stampForm', 0.4, () => random.pick(['Z', '+05:30', '-08:00', 'none', 'none:+02:00', 'none:-05:00']));
  maybe('compares', 0.3, () => 'shown');
  maybe('lateSeconds', 0.3, () => ({ least: 0, most: (settings.lookbackMs / 1_000) * random.fraction() }));
  maybe('lateShare', 0.5, () => 0.2);
  maybe('staleShare', 0.3, () => random.pick([0.1, 0.5]));
  maybe(
    'staleSeconds',
    1,
    () => (Math.min(settings.settleMs, settings.lookbackMs) / 1_000) * random.fraction(),
  );
  maybe('bulkSize', 0.15, () => 2 + random.below(8));
  maybe('removals', 0.15, () => 0.05);
  maybe('groupRemovals', 0.15, () => random.pick([0.05, 0.2]));
  maybe('reappearances', knobs.groupRemovals === undefined ? 0 : 0.6, () => random.pick([0.05, 0.2]));
  maybe('unlistedStatuses', 0.15, () => 0.2);
  maybe('newFields', 0.15, () => true);
  maybe('omissions', 0.35, () => random.pick(['samples', 'all']));
  maybe('lineItemType', 0.2, () => random.pick(['return', 'absent']));
  maybe('arrays', 0.25, () => random.pick(profile === 'polls' ? EMPTY_ARRAYS : [...EMPTY_ARRAYS, 'flicker']));
  maybe('nulls', 0.25, () => random.pick(['absent', 'flicker']));
  maybe('childOrder', 0.25, () => 'shuffled');
  maybe('unreadableEvery', 0.1, () => 3 + random.below(8));
  maybe('pauseSeconds', 0.2, () => random.below(20));
  maybe('badToken', 0.4, () => random.pick(['403', '404', '500', 'html']));
  maybe('rateLimit', 0.2, () => random.pick([20, 60, 0]));
  maybe('rateBody', 0.3, () => random.pick(['text', 'html', 'empty']));
  maybe('retryAfter', 0.3, () => random.pick(['date', 'none']));
  maybe('date', 0.08, () => 'missing');
  maybe('dateSkewSeconds', 0.2, () => Math.round((random.fraction() - 0.5) * 4_000));
  maybe('latencyMs', 0.3, () => ({ least: 5, most: 5 + random.below(800) }));
  maybe('faultRate', 0.4, () => random.pick([0.02, 0.1, 0.3]));
  maybe('slowSeconds', 0.5, () => 1 + random.below(12));
  maybe('absurdEvery', 0.1, () => (profile === 'polls' ? 17 : 2) + random.below(6));
  maybe('absurdStamps', 1, () => 'ahead');
  return profile === 'polls' ? knobs : drawBeyondPolls(random, knobs);
}

/** Draws knobs whose effects need reconciliation or guards. */
function drawBeyondPolls(random: Random, knobs: Partial<Knobs>): Partial<Knobs> {
  const touches = random.pick([['return_group'], ['return_group', 'return_line_item'], []] as const);
  const isLoose = random.chance(0.4);
  const every = 2 + random.below(6);
  if (random.chance(0.2)) {
    // The year 9999 exceeds exact microseconds, which breaks sorting with random ties.
    return { ...knobs, ties: 'stable', absurdEvery: every, absurdStamps: 'mixed' };
  }
  return isLoose ? { ...knobs, touches } : knobs;
}
