// Judges a run against the store's own history. It imports only the events' types from the feed: it could not judge code
// that it shares with the feed.
import { checkAsShown } from './as-shown.ts';
import { checkBudget } from './budget.ts';
import { checkComplete } from './complete.ts';
import { checkEnvelopes } from './envelope.ts';
import type { Evidence, Happening, Violation } from './evidence.ts';
import { checkFeedEvents } from './feed-events.ts';
import { checkForgotten } from './forgotten.ts';
import { publishedGroups } from './groups.ts';
import { checkHoldsEnd } from './holds-end.ts';
import { checkNeverSilent } from './never-silent.ts';
import { checkObserved } from './observed.ts';
import { checkOpenWalks } from './open-walks.ts';
import { checkOpenWalksInTime } from './open-walks-in-time.ts';
import { checkOrdered } from './ordered.ts';
import { checkPollsBlind } from './polls-blind.ts';
import { checkPollsSee } from './polls-see.ts';
import { checkPrivate } from './private.ts';
import { checkProofs } from './proofs.ts';
import { checkSameId } from './same-id.ts';
import { checkSourceRead } from './source-read.ts';
import { type GroupHistory, historyOf } from './states.ts';
import { checkTrue } from './true.ts';
import { checkUnbroken } from './unbroken.ts';

/** Returns every violation of a guarantee in the run. */
export function check(evidence: Evidence): Violation[] {
  const histories = readHistories(evidence);
  return [
    ...evidence.ownErrors.map((message) => ({ guarantee: 'G0' as const, message })),
    // Another process may have taken over the source since.
    ...evidence.strayWrites.map((call) => ({
      guarantee: 'G5' as const,
      message: `${call} began after the tick had ended`,
    })),
    ...checkBudget(evidence),
    ...checkPrivate(evidence),
    ...checkProofs(evidence),
    ...evidence.sources.flatMap((source) => {
      // The ledger defines which events were published. Their arrival is judged separately.
      const published = publishedGroups(source);
      return [
        ...checkSameId(source),
        ...checkOrdered(source),
        ...checkUnbroken(source, published),
        ...checkTrue(source, published, histories),
        ...checkEnvelopes(source),
        ...checkComplete(evidence, source, published, histories),
        ...(source.isLast ? checkNeverSilent(evidence, source) : []),
        ...checkForgotten(source),
        ...checkHoldsEnd(evidence, source),
        ...checkPollsSee(evidence, source),
        ...checkPollsBlind(evidence, source),
        ...checkSourceRead(evidence, source, published, histories),
        ...checkOpenWalks(evidence, source, published, histories),
        ...checkOpenWalksInTime(evidence, source),
        ...(evidence.isSteady ? checkFields(evidence, source, published, histories) : []),
      ];
    }),
  ];
}

/** Judges the content of every field of every event. */
function checkFields(...judged: Parameters<typeof checkAsShown>): Violation[] {
  const [evidence, source, , histories] = judged;
  return [
    ...checkAsShown(...judged),
    ...checkObserved(...judged),
    ...checkFeedEvents(evidence, source, histories),
  ];
}

function readHistories({ happenings, timing }: Evidence): Map<number, GroupHistory> {
  const byGroup = new Map<number, Happening[]>();
  for (const happening of happenings) {
    const known = byGroup.get(happening.groupId) ?? [];
    byGroup.set(happening.groupId, known);
    known.push(happening);
  }
  return new Map(
    [...byGroup].map(([groupId, documents]) => [groupId, historyOf(documents, timing.staleFor)]),
  );
}
