// Confirms look-ups that found nothing: another known group must still be found by its id. Otherwise the service may show
// another store, or none.
import { type Instant, MINUTE } from '../instant.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { isConfirmationTried, noteUnconfirmed } from './failing-look-ups.ts';
import { wasCutOff } from './look-up.ts';
import type { TickRun } from './tick-run.ts';

/** How long a known group that was found confirms the look-ups that found nothing. */
const CANARY_LASTS: Instant = MINUTE;

/**
 * Returns a check whether the service still finds a group that it has just shown, or else another known one. If it
 * finds none, it shows another store or has lost everything: the source is held until a known group is found again, or
 * an operator releases the hold. The check returns undefined if the look-ups fail, which shows neither.
 */
export function createCanary(
  run: TickRun,
  seen: ReadonlySet<number>,
  missing: ReadonlySet<number>,
): () => Promise<boolean | undefined> {
  let foundAt = Number.NEGATIVE_INFINITY;
  return async function isFound() {
    const { clock, serviceClock } = run.session;
    if (clock.elapsed() - foundAt < CANARY_LASTS) return true;
    const now = () => serviceClock.now().atMost;
    if (!isConfirmationTried(run.state, now())) return undefined;
    const canary = [...seen].at(-1) ?? run.lastSeenId ?? (await findOther(run, missing));
    let isShown: boolean | undefined = false;
    try {
      if (canary !== undefined) isShown = await showsGroup(run, canary);
      const isThere = isShown || (await run.tokenGuard.proveAnew());
      if (isThere) foundAt = clock.elapsed();
      return isThere;
    } catch (error) {
      // If the canary's look-up took the rest of the tick, the next tick must not make it again.
      const failed = isShown === undefined || wasCutOff(error) || mayBeAboutRequest(error);
      if (failed) run.update((state) => noteUnconfirmed(state, now()));
      if (!mayBeAboutRequest(error)) throw error;
      return undefined;
    }
  };
}

/** Whether a look-up shows the group; undefined if it fails, which proves nothing. */
async function showsGroup(run: TickRun, groupId: number): Promise<boolean | undefined> {
  try {
    return (await run.lookUpAndLearn(groupId)).rows.some(({ kind }) => kind === 'readable');
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    return undefined;
  }
}

/** Returns any known group that is not missing. */
async function findOther(run: TickRun, missing: ReadonlySet<number>): Promise<number | undefined> {
  const { store, settings } = run.session;
  const source = { source: settings.name, generation: run.state.generation };
  const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  for await (const { groupId } of store.knownCreatedBetween(source, ...everything)) {
    if (!missing.has(groupId)) return groupId;
  }
  return undefined;
}
