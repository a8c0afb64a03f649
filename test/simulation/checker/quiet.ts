// What costs only requests, or an hour: polls of a quiet store show nothing, a round over a crowd takes few requests for
// its rows, and no busy night is held as a mass change.
import type { Evidence, SourceEvidence, Time, Violation } from './evidence.ts';

const HOUR = 3_600_000_000;
/** Walks are judged by the brake only if the one before has ended so recently, or two rhythms ago. */
const JUDGED_WITHIN = 4 * HOUR;

export function checkQuiet(evidence: Evidence, source: SourceEvidence): Violation[] {
  return [...judgeIdle(evidence, source), ...judgeHolds(evidence, source)].map((message) => ({
    guarantee: 'G6',
    source: source.source,
    message,
  }));
}

/** Once the cursor has followed the last change, polls ask for nothing that they have read. */
function* judgeIdle({ sent, unreadable, failing, happenings }: Evidence, { source, idle }: SourceEvidence) {
  // The cursor does not follow rows that can't be read.
  if (idle === undefined || unreadable.size > 0 || failing.size > 0) return;
  const sentIn = ({ from, to }: { readonly from: Time; readonly to: Time }) =>
    sent.filter(({ at, by }) => at >= from && at <= to && by.startsWith(`poller-${source}/`));
  const rows = sentIn(idle)
    .filter(({ axis }) => axis === 'updated')
    .reduce((sum, { rows: each }) => sum + each, 0);
  if (rows > 0) yield `polls of a store that is quiet for long read ${rows} rows again`;
  if (idle.walk === undefined) return;
  const requests = sentIn(idle.walk).filter(({ axis }) => axis !== 'updated').length;
  const groups = new Set(happenings.map(({ groupId }) => groupId)).size;
  const most = FEW_REQUESTS + REQUESTS_A_GROUP * groups;
  if (requests > most) yield `a walk over ${groups} groups takes ${requests} requests, and ${most} are many`;
}

/** What a walk takes at most, with pages of ten rows that are read by offset, three times. */
const FEW_REQUESTS = 30;
const REQUESTS_A_GROUP = 1;

function* judgeHolds(
  { timing, mayGoBack }: Evidence,
  { massChanges, recentWalks, walkRhythm }: SourceEvidence,
) {
  // States with older stamps are judged whenever they show.
  if (mayGoBack) return;
  const judgedWithin = Math.max(JUDGED_WITHIN, 2 * walkRhythm);
  for (const at of massChanges) {
    const last = recentWalks.findLast((endedAt) => endedAt < at);
    if (last !== undefined && at - last > judgedWithin + timing.clocksOff + timing.longestExchange)
      yield `a mass change was held ${at - last} microseconds after the last walk`;
  }
}
