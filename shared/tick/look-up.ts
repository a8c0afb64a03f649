// Look-ups of groups by their ids. One that fails must stop neither the others nor the walk.
import { type Instant, MINUTE } from '../instant.ts';
import { DeadlineReached } from '../pacing/errors.ts';
import type { Page } from '../reading/page.ts';
import { mayBeAboutRequest, type ReturnsServiceError } from '../returns-service/errors.ts';
import type { SourceState } from '../source/source-state.ts';
import { noteNotLookedUp, noteSetAside } from './set-aside.ts';
import type { TickRun } from './tick-run.ts';

/** Failed look-ups after which a tick makes no more: the others would likely fail too, and the walk must continue. */
const MOST_FAILED_LOOK_UPS = 3;
/** The share of a tick that a failing look-up may take without being remembered. */
const LONG_SHARE = 0.25;
/** Groups whose look-ups are given up before the look-ups of all others are. */
const MOST_GIVEN_UP = 6;
/** How often one look-up is made although look-ups fail, to learn if they work again. It may take a whole tick. */
const PROBE_EVERY = 10 * MINUTE;

/**
 * Looks one group up by its id, or sets it aside if the look-up fails.
 *
 * @returns undefined if this look-up failed, or is not made because others failed
 * @throws DeadlineReached if the tick ends first. A look-up that the end of a tick cuts off twice has failed: otherwise
 *   each tick would try it anew.
 */
export async function lookUpOrSetAside(run: TickRun, groupId: number): Promise<Page | undefined> {
  const { clock, serviceClock } = run.session;
  const now = () => serviceClock.now().atMost;
  const startedAt = clock.elapsed();
  const areGivenUp = givenUpIn(run.state).length >= MOST_GIVEN_UP;
  if (!isMade(run, groupId, now())) {
    run.update((state) => noteNotLookedUp(state, groupId, now()));
    return undefined;
  }
  try {
    const page = await run.lookUpAndLearn(groupId);
    run.update((state) => noteAnswered(state, groupId, areGivenUp));
    return page;
  } catch (error) {
    if (wasCutOff(error)) {
      const isAgain = run.state.lookUpsCutOff.includes(groupId);
      run.update((state) => noteTookLong(state, groupId, now()));
      if (isAgain) run.update((state) => noteFailed(state, groupId, error.cause, now()));
      throw error;
    }
    if (!mayBeAboutRequest(error)) throw error;
    run.failedLookUps += 1;
    run.update((state) => noteFailed(state, groupId, error, now()));
    // If the tick ends before the walk's position is saved, the next one gets here again.
    const tookLong = clock.elapsed() - startedAt > LONG_SHARE * run.duration;
    if (tookLong) run.update((state) => noteTookLong(state, groupId, now()));
    return undefined;
  }
}

/** Whether the group is looked up: not after too many failures, except to learn if look-ups work again. */
function isMade(run: TickRun, groupId: number, now: Instant): boolean {
  if (run.failedLookUps >= MOST_FAILED_LOOK_UPS) return false;
  const givenUp = givenUpIn(run.state);
  const isGivenUp = givenUp.length >= MOST_GIVEN_UP || givenUp.includes(groupId);
  return !isGivenUp || isProbeDue(run.state, now);
}

function isProbeDue({ lookUpUnansweredAt }: SourceState, now: Instant): boolean {
  if (lookUpUnansweredAt === undefined) return false;
  // A time in the future is of a clock that was ahead.
  return now - lookUpUnansweredAt >= PROBE_EVERY || lookUpUnansweredAt > now;
}

/** The groups whose look-ups failed after a long time, or were cut off twice. */
function givenUpIn({ lookUpsCutOff, setAside }: SourceState): readonly number[] {
  return lookUpsCutOff.filter((groupId) => setAside.some((note) => note.groupId === groupId));
}

function wasCutOff(error: unknown): error is DeadlineReached & { readonly cause: ReturnsServiceError } {
  return error instanceof DeadlineReached && mayBeAboutRequest(error.cause);
}

function noteTookLong(state: SourceState, groupId: number, now: Instant): SourceState {
  const others = state.lookUpsCutOff.filter((other) => other !== groupId);
  return { ...state, lookUpsCutOff: [...others, groupId].slice(-MOST_GIVEN_UP), lookUpUnansweredAt: now };
}

/** @param wereGivenUp whether all look-ups were given up: this answer shows that they work again */
function noteAnswered(state: SourceState, groupId: number, wereGivenUp: boolean): SourceState {
  if (state.lookUpsCutOff.length === 0) return state;
  const others = state.lookUpsCutOff.filter((other) => other !== groupId);
  return { ...state, lookUpsCutOff: wereGivenUp ? [] : others };
}

function noteFailed(state: SourceState, groupId: number, { message }: Error, now: number): SourceState {
  const reason = `the list lacks it, and its look-up by id fails (${message})`;
  return noteSetAside(state, { id: groupId, reason, digest: '' }, now);
}

/** Rotates the items to a random start: a look-up that always fails must not block those behind it. */
export function startingAnywhere<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const first = Math.floor(random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
