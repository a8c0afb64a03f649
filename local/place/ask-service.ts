// Asks the service for a return group as it is now, and compares the answer with what the feed has stored.
import { compareAnswer } from '../../shared/finding/compare-answer.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { OpenFeed } from './open-feed.ts';
import type { AccessOptions } from './service-access.ts';

export type AskedService = Awaited<ReturnType<typeof askService>>;

/**
 * @throws UsageError if the token or the address is missing on one machine; NotAskedError, or what requests throw, if
 * there is no usable answer
 */
export async function askService(
  feed: OpenFeed,
  source: string,
  returnGroupId: number,
  options: AccessOptions = {},
) {
  const state = await feed.stateOf(source);
  const access = feed.openAccess(options);
  try {
    const { settleMs, ...answer } = await access.ask(source, returnGroupId);
    // After the answer, so that a save while the request was under way counts.
    const snapshot = (await feed.store.load(state, [returnGroupId])).get(returnGroupId);
    /** `answer`: the group, that it is absent, or that it can't be read. */
    return { answer, ...compareAnswer(state, snapshot, answer, settleMs * MILLISECOND) };
  } finally {
    access.close();
  }
}
