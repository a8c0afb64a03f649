// Judges a run against the store's own history. It imports only the events' types from the feed: it could not judge code
// that it shares with the feed.
import { checkAsShown } from './as-shown.ts';
import { checkBudget } from './budget.ts';
import { checkClaims } from './claims.ts';
import { checkComplete } from './complete.ts';
import { checkEnvelopes } from './envelope.ts';
import type { Evidence, Happening, SourceEvidence, Violation } from './evidence.ts';
import { checkFeedEvents } from './feed-events.ts';
import { checkForgotten } from './forgotten.ts';
import { publishedGroups } from './groups.ts';
import { checkNeverSilent } from './never-silent.ts';
import { checkObserved } from './observed.ts';
import { checkOrdered } from './ordered.ts';
import { checkPrivate } from './private.ts';
import { checkQuiet } from './quiet.ts';
import { checkSameId } from './same-id.ts';
import { checkSilent } from './silent.ts';
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
    ...evidence.sources.flatMap((source) => checkSource(evidence, source, histories)),
  ];
}

function checkSource(
  evidence: Evidence,
  source: SourceEvidence,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  // The ledger defines which events were published. Their arrival is judged separately.
  const published = publishedGroups(source);
  const shown = new Map([...published].filter(([groupId]) => !evidence.everBroken.has(groupId)));
  const always = [
    ...checkSameId(source),
    ...checkOrdered(source),
    ...checkUnbroken(source, published),
    ...checkEnvelopes(source),
    ...checkForgotten(source),
    ...(evidence.showsWhatIs ? checkTrue(source, shown, histories, !evidence.isStrange) : []),
    ...checkComplete(evidence, source, published, histories),
  ];
  if (evidence.isStrange) return always;
  return [
    ...always,
    ...checkAsShown(evidence, source, shown, histories),
    ...checkObserved(evidence, source, shown, histories),
    ...checkFeedEvents(evidence, source, histories),
    ...checkQuiet(evidence, source),
    ...checkSilent(evidence, source, published, histories),
    ...checkSourceRead(evidence, source),
    ...checkClaims(evidence, source, histories),
    ...(source.isLast ? checkNeverSilent(evidence, source) : []),
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
