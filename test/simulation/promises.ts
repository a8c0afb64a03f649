// Properties of a run's service, from which follows what the feed must find.

import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { Promises } from './checker/evidence.ts';
import type { MishapName } from './mishap-names.ts';
import { isDateAhead, type Mishap } from './plan.ts';
import { namesZone } from './plan-limits.ts';
import { changesLooks, letsStampsFall } from './turn.ts';
import type { World } from './world/world.ts';

export function promisesOf({ plan, service }: World): Promises {
  const { turns = [] } = plan;
  const { clockJump, freeze } = plan.faults;
  const knobs = service.control.knobs();
  const looks = [plan, ...turns].map((look) => look.knobs);
  const namesZones = looks.every(namesZone);
  const leavesNoArrayOut = (plan.knobs.arrays ?? 'full') === 'full';
  return {
    findsRemovals: plan.reconciles,
    changesMoveStamps:
      plan.knobs.touches === undefined &&
      !turns.some((turn) => changesLooks(turn) || letsStampsFall(turn) || 'touches' in turn.knobs) &&
      plan.mishap?.kind !== 'changed without stamps' &&
      !changesWithoutStamps(plan.mishap) &&
      (knobs.absurdEvery === 0 || knobs.absurdStamps === 'ahead'),
    showsChangesTogether: !plan.crowds || plan.knobs.lateSeconds === undefined,
    showsEmptyArrays: knobs.arrays === 'full',
    showedEmptyArrays: looks.every(({ arrays = 'full' }) => arrays === 'full'),
    showsArrays: !looks.some(({ arrays }) => arrays === 'flicker') && plan.lasting?.shape.kind !== 'array',
    showsNulls: looks.every(({ nulls = 'present' }) => nulls === 'present'),
    leavesNoArrayOut,
    keepsUp: keepsUp(plan, knobs, namesZones),
    // Each walk takes whole ticks then (guarantees.md, "Where they end").
    walksInTime: plan.knobs.lifetimeFactor === undefined || (plan.knobs.latencyMs?.least ?? 0) < 1_000,
    namesZones,
    // Two false empty answers confirm the end of a list that a window has cut (guarantees.md, "What no reader can
    // know").
    confirmsEnds: knobs.offsetMax === 0 || plan.knobs.faultRate === undefined,
    provesNewest: knobs.offsetMax === 0 || namesZones,
    stampsTellTime: knobs.absurdEvery === 0,
    endsLists: knobs.pageBytes === 0 || !plan.crowds,
    showsWhatIs: plan.mishap === undefined,
    showsOwnStore: plan.mishap === undefined || SHOWN_AS_IS.has(plan.mishap.kind),
    showsWhole: leavesNoArrayOut && knobs.removals === 0 && plan.mishap === undefined,
    listsAll: listsAll(plan),
    endsHolds: mustEndByItself(plan),
    keepsPauses: [clockJump, freeze].every((share) => share === 0),
  };
}

/** Whether any group changes without a newer stamp, or has changed so before the feed reads it. */
function changesWithoutStamps({ changes, values }: Partial<Mishap> = {}): boolean {
  return (changes !== undefined && changes !== 'with stamps') || values === 'of ids with blanks';
}

/** Mishaps whose holds keep nothing back any more, or whose samples show that they are over. */
function mustEndByItself({ mishap, knobs }: World['plan']): boolean {
  const { changes, values } = mishap ?? {};
  // A sample that an answer leaves out decides nothing.
  if (knobs.arrays === 'flicker' || knobs.nulls === 'flicker') return false;
  if (changes === 'without stamps') return values === 'long';
  // A change of the same field without a stamp looks like the rest of the mistake.
  const becomesTrue = changes === 'all become true' || changes === 'most become true';
  return becomesTrue && knobs.touches === undefined;
}

/** Mishaps after which the service shows the same store, as it is. */
const SHOWN_AS_IS: ReadonlySet<MishapName> = new Set([
  'address moved',
  'answered otherwise',
  'look-ups answered otherwise',
  'groups removed',
  'store emptied',
  'store replaced',
  'shipments removed',
  'changed without stamps',
]);

/** Returns whether nothing hides a known group, or its id, from a list for a while. */
function listsAll({ groups, knobs, lasting, mishap, turns = [] }: World['plan']): boolean {
  const { staleShare, groupRemovals, reappearances } = knobs;
  // Rows that name another zone are in other ranges.
  const hidesIds = turns.some(({ knobs }) => 'unreadableEvery' in knobs || 'stampForm' in knobs);
  // Bounds keep the digits that stamps once had: a group whose stamp is cut since then may be in the next range.
  const cutsStamps = turns.some(({ knobs }) => 'stampPrecision' in knobs);
  // The feed trusts the end of a list that is shown in part from some moment on, for an hour at most (guarantees.md).
  const endsEarly = turns.some(({ knobs }) => 'offsetMax' in knobs);
  // Rows stamped ahead move the stamps' clock (guarantees.md, "Time"): a range that counts as closed may get new
  // groups.
  const movesTheClock = knobs.absurdEvery !== undefined && isDateAhead(knobs);
  // If the store grows beyond the window, the first walk that reaches its last row trusts that end (guarantees.md).
  const growsBeyondWindow = knobs.offsetMax !== undefined && groups <= knobs.offsetMax;
  // New groups then seem to come from the future, and may lie beyond the window (guarantees.md).
  const endsBeforeNewest = knobs.offsetMax !== undefined && (knobs.dateSkewSeconds ?? 0) < 0;
  return (
    !hidesIds &&
    !endsBeforeNewest &&
    !cutsStamps &&
    !endsEarly &&
    !movesTheClock &&
    !growsBeyondWindow &&
    [staleShare, groupRemovals, reappearances, lasting, mishap].every((each) => each === undefined)
  );
}

/** With pages of fewer rows a tick may have no room for the groups of a day. */
const FEWEST_ROWS = 3;
/** With a smaller budget per minute, no tick may have the requests for them. */
const FEWEST_A_MINUTE = 30;

/**
 * Returns whether a tick can read the lists that must be read within one tick: the groups of a day, if stamps name no
 * zone, and rows without an id that fill a page.
 */
function keepsUp({ lasting }: World['plan'], knobs: Knobs, namesZones: boolean): boolean {
  const isLimited = lasting?.shape.kind === 'limit';
  const isTight = knobs.rateLimit > 0 && knobs.rateLimit < FEWEST_A_MINUTE;
  const hasOneRow = knobs.limitMax === 1 || knobs.pageBytes === 1;
  if (namesZones) return knobs.unreadableEvery === 0 || !(hasOneRow || isLimited || isTight);
  const isCut = knobs.offsetMax > 0 || lasting?.shape.kind === 'offset';
  return knobs.limitMax >= FEWEST_ROWS && !isCut && !isTight && !isLimited;
}
