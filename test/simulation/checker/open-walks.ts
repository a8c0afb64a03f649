// G1: a walk over old open groups has read each of them. So an event that is written after its end can't say that an entity
// of one was in a state that showed only before the walk began.
import type { Evidence, GroupDocument, SourceEvidence, Time, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { mayHaveBeen } from './source-read.ts';
import { timeOf } from './stamps.ts';
import { entitiesOf, type GroupHistory } from './states.ts';
import { beforeFirst } from './true.ts';

const SECOND = 1_000_000;
const DAY = 86_400 * SECOND;
/** Younger groups are walked as recent ones. One day more than the feed's 45, because groups grow older during a run. */
const RECENT = 46 * DAY;

export function checkOpenWalks(
  { promises, timing, unreadable, tooLarge, isSteady }: Evidence,
  { source, openWalks, written, forgotten, startedAt = 0 }: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  // A hold delays events.
  if (!isSteady || !promises.showsWhatIs || !promises.showsArrays) return [];
  const violations: Violation[] = [];
  const writtenAt = new Map(written.map(({ event, at }) => [event.id, at]));
  const isForgotten = new Set(forgotten.map(({ groupId }) => groupId));
  for (const { groupId, changes } of published.values()) {
    const history = histories.get(groupId);
    if (history === undefined || unreadable.has(groupId) || tooLarge.has(groupId) || isForgotten.has(groupId))
      continue;
    for (const change of changes) {
      const at = writtenAt.get(change.event.id) ?? 0;
      const walk = openWalks.findLast(({ endedAt }) => endedAt < at);
      if (walk === undefined || change.kind === 'refund_transaction' || change.verb === 'removed') continue;
      const from = walk.startedAt - timing.dateAhead - timing.settle - timing.lateBy;
      const until = history.showings.filter((showing) => showing.from <= at);
      if (from < startedAt || !until.every(({ document }) => isOldAndOpen(document, walk.startedAt)))
        continue;
      const before = beforeFirst(change);
      const wasShown = until
        .filter(({ to }) => to > from)
        .some(({ document }) =>
          mayHaveBeen(before, document && entitiesOf(document).get(change.name), promises.showsNulls),
        );
      if (wasShown) continue;
      violations.push({
        guarantee: 'G1',
        source,
        place: `${change.name} of group ${groupId}`,
        message: `${change.event.id} says that it was ${before ?? 'not there'}, but a walk over open groups that began later had ended before`,
      });
    }
  }
  return violations;
}

/** Statuses after which an entity hardly ever changes (docs/decisions/0013). All others are open. */
const FINAL: ReadonlySet<unknown> = new Set(['COMPLETED', 'CANCELED', 'DELIVERED', 'FAILED', 'PROCESSED']);

type Entities = readonly { readonly status?: unknown }[] | null | undefined;

function isOldAndOpen(document: GroupDocument | undefined, walkStartedAt: Time): boolean {
  if (document === undefined) return false;
  const { created_at: createdAt, returns, shipments, exchange_line_items: exchanges } = document;
  const entities = [returns, shipments, exchanges].flatMap((list) => (list as Entities) ?? []);
  const isOld = (timeOf(String(createdAt)) ?? walkStartedAt) < walkStartedAt - RECENT;
  return isOld && entities.some(({ status }) => !FINAL.has(status));
}
