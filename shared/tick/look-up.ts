// Look-ups of groups by their ids. One that fails must stop neither the others nor the walk.
import type { Instant } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import type { Page } from '../reading/page.ts';
import {
  ConnectionFailedError,
  mayBeAboutRequest,
  type ReturnsServiceError,
  TruncatedAnswerError,
} from '../returns-service/errors.ts';
import type { SourceState, Tier } from '../source/source-state.ts';
import { isLookUpMade, noteAnswer, noteCutOff, noteFailure, wasCutOffBefore } from './failing-look-ups.ts';
import { noteNotLookedUp, noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/**
 * Looks one group up by its id, or sets it aside if the look-up fails.
 *
 * @returns undefined if this look-up failed, or is not made because look-ups fail (failing-look-ups.ts)
 * @throws DeadlineReached if the tick ends first, or the failure of the connection. The second time this counts as a
 *   failure of the group's look-up: otherwise each tick would try it anew.
 */
export async function lookUpOrSetAside(run: TickRun, tier: Tier, groupId: number): Promise<Page | undefined> {
  const now = () => run.session.serviceClock.now().atMost;
  if (!isLookUpMade(run.state, groupId, run.state.reconciliation[tier].startedAt, now())) {
    run.update((state) => noteNotLookedUp(state, groupId, now()));
    return undefined;
  }
  try {
    const page = await run.lookUpAndLearn(groupId);
    run.update((state) => noteAnswer(state, groupId));
    return page;
  } catch (error) {
    const isCutOff = wasCutOff(error);
    const failure = isCutOff ? error.cause : error;
    if (!mayBeAboutLookUp(failure)) throw error;
    const isFirst = !mayBeAboutRequest(error) && !wasCutOffBefore(run.state, groupId);
    run.update((state) =>
      isFirst ? noteCutOff(state, groupId) : noteFailed(state, groupId, failure, now()),
    );
    if (isFirst || isCutOff) throw error;
    return undefined;
  }
}

/** Whether the tick ended while a look-up that had failed was tried again. */
function wasCutOff(error: unknown): error is DeadlineReached & { readonly cause: ReturnsServiceError } {
  return error instanceof DeadlineReached && mayBeAboutLookUp(error.cause);
}

/** Whether the failure may be due to the group that was looked up: so may that of a connection, by the group's answer. */
export function mayBeAboutLookUp(error: unknown): error is ReturnsServiceError {
  return (
    mayBeAboutRequest(error) ||
    error instanceof ConnectionFailedError ||
    error instanceof TruncatedAnswerError
  );
}

function noteFailed(state: SourceState, groupId: number, { message }: Error, now: Instant): SourceState {
  const reason = `the list lacks it, and its look-up by id fails (${message})`;
  return noteFailure(noteSetAside(state, { id: groupId, reason, digest: '' }, now), groupId, now);
}

/** Rotates the items to a random start: a look-up that always fails must not block those behind it. */
export function startingAnywhere<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const first = Math.floor(random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
