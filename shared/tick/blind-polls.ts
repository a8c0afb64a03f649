// Polls are blind if the service does not find rows by the `updated_at` that it shows, for instance because it reads
// filters in another zone. Such polls miss changes, so they must settle nothing. Walks find the changes that polls
// passed over (stamps-fall-back.ts). Then either the stamps have fallen back, or polls are blind. To find out, the feed
// requests a list of two minutes around such a group's stamp: if it shows a row that belongs there, polls see changes.
// A poll that finds changes proves nothing, because its list may be longer than the error of the filters.
import { DAY, type Instant, MINUTE } from '../instant.ts';
import { RANGE_OVERLAP, SHORT_PAGE_ROWS } from '../limits.ts';
import type { Page } from '../reading/page.ts';
import { mayBeAboutRequest } from '../returns-service/errors.ts';
import { type ChangedGroup, type PollsInDoubt, unanswered, withDoubt } from './polls-in-doubt.ts';
import type { TickRun } from './tick-run.ts';

/** Groups created within this time are most of those that change. */
const RECENTLY_CREATED = 7 * DAY;
const MOST_CONSIDERED = 100;

/**
 * Returns whether polls are blind, or may be: without an answer they settle nothing either. At most three requests, and
 * only while it is in doubt whether polls see changes.
 */
export async function arePollsBlind(run: TickRun): Promise<boolean> {
  const { pollsInDoubt } = run.state.stamps;
  if (pollsInDoubt === undefined) return false;
  const [changed, ...others] = pollsInDoubt.changed;
  const group = changed ?? (await anotherChanged(run));
  if (group === undefined) return true;
  const stillInDoubt = await askFor(group, others, run);
  run.update((state) => withDoubt(state, stillInDoubt));
  return stillInDoubt !== undefined;
}

/** Asks for one group. Returns the groups to ask for in the next poll, or undefined if polls see changes. */
async function askFor(
  group: ChangedGroup,
  others: readonly ChangedGroup[],
  run: TickRun,
): Promise<PollsInDoubt | undefined> {
  try {
    if (await isListed(group.updatedAt, run)) return undefined;
    const updatedAt = stampOf(group.groupId, await run.lookUpAndLearn(group.groupId, 'poll'));
    // A group that is gone or can't be read decides nothing.
    if (updatedAt === undefined) return { changed: others, unansweredSince: undefined };
    if (updatedAt !== group.updatedAt && (await isListed(updatedAt, run))) return undefined;
    // The next request looks for another group: the service may leave out just this one.
    return { changed: [...others, { ...group, updatedAt }], unansweredSince: undefined };
  } catch (error) {
    if (!mayBeAboutRequest(error)) throw error;
    return unanswered(run.state);
  }
}

function stampOf(groupId: number, { rows }: Page): Instant | undefined {
  return rows.find((row) => row.kind === 'readable' && row.group.id === groupId)?.updatedAt;
}

/**
 * Returns one of the groups that have changed since the settled instant. Older ones show nothing: an index of updates
 * that is no longer updated still has them.
 */
async function anotherChanged({ session, state }: TickRun): Promise<ChangedGroup | undefined> {
  const source = { source: session.settings.name, generation: state.generation };
  const { settledThrough } = state;
  const ids: number[] = [];
  const known = session.store.knownCreatedBetween(
    source,
    settledThrough - RECENTLY_CREATED,
    Number.POSITIVE_INFINITY,
  );
  for await (const { groupId } of known) ids.push(groupId);
  const newest = await session.store.load(source, ids.slice(-MOST_CONSIDERED));
  const changed = [...newest.values()].filter(
    ({ removedAt, updatedAt }) => removedAt === undefined && updatedAt >= settledThrough,
  );
  // The service may leave out just one of them.
  return changed[Math.floor(session.random() * changed.length)];
}

/**
 * Whether a list by update around this stamp has any row that belongs there. The list is shorter than the offset of any
 * zone, and longer than the minute to which a service may round its filters.
 */
async function isListed(stamp: Instant, run: TickRun): Promise<boolean> {
  const updated = { from: stamp - MINUTE, to: stamp + MINUTE };
  const { rows } = await run.fetchAndLearn('poll')({
    range: { updated },
    offset: 0,
    limit: SHORT_PAGE_ROWS,
  });
  return rows.some(
    ({ updatedAt }) =>
      updatedAt !== undefined && updatedAt >= updated.from - RANGE_OVERLAP && updatedAt <= updated.to,
  );
}
