// What costs only requests, or an hour: polls of a quiet store show nothing, a round over a crowd takes few requests for
// its rows, and no busy night is held as a mass change.
import type { Evidence, SourceEvidence, Violation } from './evidence.ts';

const HOUR = 3_600_000_000;
/** Walks are judged by the brake only if the one before has ended so recently. */
const JUDGED_WITHIN = 4 * HOUR;

export function checkQuiet(evidence: Evidence, source: SourceEvidence): Violation[] {
  return [...judgeIdle(evidence, source), ...judgeHolds(evidence, source)].map((message) => ({
    guarantee: 'G6',
    source: source.source,
    message,
  }));
}

/** Once the cursor has followed the last change, polls ask for nothing that they have read. */
function* judgeIdle({ sent, unreadable, failing }: Evidence, { source, idle }: SourceEvidence) {
  // The cursor does not follow rows that can't be read.
  if (idle === undefined || unreadable.size > 0 || failing.size > 0) return;
  const requests = sent.filter(
    ({ at, by }) => at >= idle.from && at <= idle.to && by.startsWith(`poller-${source}/`),
  );
  const rows = requests.filter(({ axis }) => axis === 'updated').reduce((sum, { rows: each }) => sum + each, 0);
  if (rows > 0) yield `polls of a store that is quiet for long read ${rows} rows again`;
}

function* judgeHolds({ timing }: Evidence, { massChanges, recentWalks }: SourceEvidence) {
  for (const at of massChanges) {
    const last = recentWalks.findLast((endedAt) => endedAt < at);
    if (last !== undefined && at - last > JUDGED_WITHIN + timing.clocksOff + timing.longestExchange)
      yield `a mass change was held ${at - last} microseconds after the last walk`;
  }
}
