// Polls are blind if the service does not find rows by the `updated_at` that it shows, for instance because it reads
// filters in another zone. Such polls find nothing, so they must settle nothing. Walks find the changes that polls passed
// over (stamps-fall-back.ts). Then either the stamps have fallen back, or polls are blind: a list around the stamp of such
// a group tells which.
import { type Instant, SECOND } from '../instant.ts';
import { RANGE_OVERLAP } from '../limits.ts';
import type { Page } from '../reading/page.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import type { SourceState } from '../source/source-state.ts';
import type { TickRun } from './tick-run.ts';

type PassedOver = NonNullable<SourceState['stamps']['passedOver']>;

/**
 * Returns whether polls are blind, or may be: without an answer they settle nothing either. At most three requests, and
 * only while a change that polls passed over is in doubt.
 */
export async function arePollsBlind(run: TickRun): Promise<boolean> {
  const { passedOver } = run.state.stamps;
  if (passedOver === undefined) return false;
  try {
    const isInDoubt = !(await isListed(passedOver.updatedAt, run)) && (await isElsewhere(passedOver, run));
    if (!isInDoubt) run.update(noteNotBlind);
    return isInDoubt;
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    return true;
  }
}

/** Whether a look-up still finds the group, but no list finds it at the stamp that it has now. */
async function isElsewhere({ groupId, updatedAt }: PassedOver, run: TickRun): Promise<boolean> {
  const stamp = stampOf(groupId, await run.lookUpAndLearn(groupId));
  if (stamp === undefined) return false;
  if (stamp === updatedAt) return true;
  run.update((state) => ({
    ...state,
    stamps: { ...state.stamps, passedOver: { groupId, updatedAt: stamp } },
  }));
  return !(await isListed(stamp, run));
}

function noteNotBlind(state: SourceState): SourceState {
  return { ...state, stamps: { ...state.stamps, passedOver: undefined } };
}

function stampOf(groupId: number, { rows }: Page): Instant | undefined {
  return rows.find((row) => row.kind === 'readable' && row.group.id === groupId)?.updatedAt;
}

/** Whether a list by update around this stamp has any row that belongs there. */
async function isListed(stamp: Instant, run: TickRun): Promise<boolean> {
  const updated = { from: stamp, to: stamp + 2 * SECOND };
  const { rows } = await run.fetchAndLearn('poll')({ range: { updated }, offset: 0 });
  return rows.some(
    ({ updatedAt }) =>
      updatedAt !== undefined && updatedAt >= updated.from - RANGE_OVERLAP && updatedAt <= updated.to,
  );
}
