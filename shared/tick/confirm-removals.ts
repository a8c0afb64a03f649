// Confirms look-ups that found nothing: another known group must still be found by its id. Otherwise the service may
// show another store, or none.
import { MILLISECOND, MINUTE } from '../instant.ts';
import { DeadlineReached, SourceRefused } from '../pacing/errors.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import {
  isConfirmationTried,
  isUnconfirmedForLong,
  noteConfirmed,
  noteUnconfirmed,
} from './failing-look-ups.ts';
import { mayBeAboutLookUp, startingAnywhere } from './look-up.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

/** How long a known group that was found confirms the look-ups that found nothing. */
const CONFIRMS_FOR: number = MINUTE;

/**
 * Each answer is undefined if the look-ups have failed for minutes, and false if it can't be judged: the token was
 * replaced, or known groups are shown and can't be read. If no known group is found, the service shows another store or
 * has lost everything: then SourceHeld is thrown, until a known group is found again or an operator releases the hold.
 * Once it is released, the answer is true.
 */
export interface Confirmation {
  /** Whether the service still finds a group that it has just shown, or else another known one. @throws SourceHeld */
  isGroupFound(): Promise<boolean | undefined>;
  /** Whether it finds any known group. @throws SourceHeld */
  isAnyGroupFound(): Promise<boolean | undefined>;
}

export function createConfirmation(
  run: TickRun,
  seen: ReadonlySet<number>,
  missing: ReadonlySet<number>,
): Confirmation {
  const { clock, random } = run.session;
  let foundAt = Number.NEGATIVE_INFINITY;
  async function confirmBy(look: () => Promise<boolean>): Promise<boolean | undefined> {
    const isThere = await confirm(run, look);
    if (isThere === true) foundAt = clock.elapsed();
    return isThere;
  }
  return {
    async isGroupFound() {
      if (clock.elapsed() - foundAt < CONFIRMS_FOR) return true;
      return confirmBy(async () => {
        // The look-up of one group may always fail. So it is another one each time, and after a failure a group of any
        // age.
        const isFirstTry = run.state.failingLookUps.unconfirmed === undefined;
        const shown = startingAnywhere([...seen], random)[0] ?? run.lastSeenId;
        const canary = isFirstTry ? (shown ?? (await findOther(run, missing))) : undefined;
        return (canary !== undefined && (await isShown(run, canary))) || run.tokenGuard.proveAnew();
      });
    },
    isAnyGroupFound: () => confirmBy(() => run.tokenGuard.proveAnew()),
  };
}

async function confirm(run: TickRun, look: () => Promise<boolean>): Promise<boolean | undefined> {
  const { clock, serviceClock, settings } = run.session;
  const now = () => serviceClock.now().atMost;
  if (!isConfirmationTried(run.state, now())) return undefined;
  const startedAt = clock.elapsed();
  try {
    const isThere = await look();
    run.update(noteConfirmed);
    return isThere;
  } catch (error) {
    // Look-ups without an answer may take the rest of each tick. If the tick ends sooner, nothing has failed.
    const waited = clock.elapsed() - startedAt >= settings.requestTimeoutMs * MILLISECOND;
    const failure = error instanceof SourceRefused ? error.cause : error;
    if (mayBeAboutLookUp(failure) || (error instanceof DeadlineReached && waited))
      run.update((state) => noteUnconfirmed(state, now()));
    if (mayBeAboutLookUp(failure) && isUnconfirmedForLong(run.state)) return undefined;
    throw error;
  }
}

/** Whether a look-up shows the group; one that fails proves nothing, and must not keep removals back for ever. */
async function isShown(run: TickRun, groupId: number): Promise<boolean> {
  try {
    return (await run.lookUpAndLearn(groupId)).rows.some(({ kind }) => kind === 'readable');
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    return false;
  }
}

/** Returns any known group that is not missing. */
async function findOther(run: TickRun, missing: ReadonlySet<number>): Promise<number | undefined> {
  const { store } = run.session;
  const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  for await (const { groupId } of store.knownCreatedBetween(sourceOf(run), ...everything)) {
    if (!missing.has(groupId)) return groupId;
  }
  return undefined;
}
