// Judges a run by what the store's own history says was true. Imports nothing of ours but the events' types: what it
// shares with the feed it could not judge.
import { checkAsShown } from './as-shown.ts';
import { checkBudget } from './budget.ts';
import { checkComplete } from './complete.ts';
import { checkEnvelopes } from './envelope.ts';
import type { Evidence, Happening, Violation } from './evidence.ts';
import { checkFeedEvents } from './feed-events.ts';
import { checkForgotten } from './forgotten.ts';
import { toldGroups } from './groups.ts';
import { checkNeverSilent } from './never-silent.ts';
import { checkObserved } from './observed.ts';
import { checkOrdered } from './ordered.ts';
import { checkPrivate } from './private.ts';
import { checkSameId } from './same-id.ts';
import { type GroupHistory, historyOf } from './states.ts';
import { checkTrue } from './true.ts';
import { checkUnbroken } from './unbroken.ts';

/** Every way in which the run broke a guarantee; nothing if it broke none. */
export function check(evidence: Evidence): Violation[] {
  const histories = readHistories(evidence);
  return [
    ...evidence.ownErrors.map((message) => ({ guarantee: 'G0' as const, message })),
    // Whoever took the source over may have gone on since.
    ...evidence.strayWrites.map((call) => ({
      guarantee: 'G5' as const,
      message: `${call} began when the tick had ended`,
    })),
    ...checkBudget(evidence),
    ...checkPrivate(evidence),
    ...evidence.sources.flatMap((source) => {
      // What was written decides what was told; that it all arrived is judged apart.
      const told = toldGroups(source);
      return [
        ...checkSameId(source),
        ...checkOrdered(source),
        ...checkUnbroken(source, told),
        ...checkTrue(source, told, histories),
        ...checkEnvelopes(source),
        ...checkComplete(evidence, source, told, histories),
        ...(source.isLast ? checkNeverSilent(evidence, source) : []),
        ...checkForgotten(source),
        ...(evidence.isSteady ? checkFields(evidence, source, told, histories) : []),
      ];
    }),
  ];
}

/** What each field of each event carries. */
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
