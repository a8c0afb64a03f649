// Rings for return groups, so that a webhook's sender tries them again now and not after its pause.
import type { RingQueue } from '../../functions/adapters/ring-queue.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { type StepOverPorts, stepOver } from '../../shared/publishing/step-over.ts';
import { RestoredStateError } from '../../shared/source/restored-state.ts';
import type { OpenFeed } from './open-feed.ts';

/** Above every number of an event. For a group without a mark the sender then begins at the webhook's start. */
const BEYOND_ALL = 999_999_999_999_999;

/**
 * Rings for a group.
 *
 * @param skip the number of an event that is noted as failing: the mark moves over it, which is published
 * @returns the outcome in words; the group is behind if another event of it is noted as failing
 * @throws RestoredStateError instead of skipping in a state that was restored
 */
export async function ringGroup(
  feed: OpenFeed,
  queue: Pick<RingQueue, 'ring' | 'ringBeside'>,
  webhook: string,
  key: GroupKey,
  skip: number | undefined,
): Promise<{ readonly outcome: string; readonly isBehind: boolean }> {
  if (skip !== undefined) {
    const { behind } = await feed.lists.mark(webhook, key);
    const [stuck, reason = ''] = behind?.split(/: (.*)/s) ?? [];
    if (Number(stuck) !== skip) return { outcome: describeOther(stuck, skip), isBehind: stuck !== undefined };
    // The outcome says it: for a command that was asked to skip it is no error.
    const log = { ...feed.log, error: feed.log.debug };
    const ports: StepOverPorts = { ...feed, log, destination: { name: webhook } };
    if (!(await stepOver(ports, key, { from: skip, to: skip }, `${reason}; stepped over by hand`)))
      throw new RestoredStateError(key.source, feed.flags);
  }
  const sent = await feed.marks.load(webhook, key);
  const now = feed.clock.now();
  await (sent === undefined ? queue.ring(key, BEYOND_ALL, now) : queue.ringBeside(key, sent + 1, now));
  const skipped = skip === undefined ? '' : `skipped ${skip}; `;
  return { outcome: `${skipped}its sender tries again`, isBehind: false };
}

function describeOther(stuck: string | undefined, skip: number): string {
  if (stuck === undefined) return 'nothing is skipped: no event of it is noted as failing';
  return `nothing is skipped: it is stuck at ${stuck}, not at ${skip}`;
}
