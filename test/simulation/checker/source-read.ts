// How `feed.source_read` is published: once a minute, never with an older claim than before. Whether its claims are true is
// judged by claims.ts.
import type { Claim, Evidence, SourceEvidence, Violation } from './evidence.ts';

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

type Problem = readonly [guarantee: 'G1' | 'G8', place: string, message: string];

export function checkSourceRead(evidence: Evidence, source: SourceEvidence): Violation[] {
  const problems = [
    ...judgeRow(source),
    ...judgeNumber(evidence, source),
    ...judgeArrivals(evidence, source),
    ...judgeRest(source),
  ];
  return problems.map(([guarantee, place, message]) => ({
    guarantee,
    source: source.source,
    place,
    message,
  }));
}

/** Checks that claims are null until the baseline is completed, and never move back. */
function* judgeRow({
  claims,
  source,
  baselineCompletedAt = Number.POSITIVE_INFINITY,
}: SourceEvidence): Generator<Problem> {
  let before: Claim | undefined;
  for (const claim of claims) {
    const { id, data } = claim.event;
    if ((data.object as { name?: string }).name !== source) yield ['G8', id, 'is about another source'];
    if (data.sequence <= (before?.event.data.sequence ?? 0))
      yield ['G8', id, 'has no higher number than before'];
    for (const field of ['polledAt', 'walkedAt'] as const) {
      const [then, now] = [before?.[field], claim[field]];
      if (now !== undefined && claim.at < baselineCompletedAt)
        yield ['G1', id, `claims ${field} before the baseline was completed`];
      if (then !== undefined && (now === undefined || now < then)) yield ['G1', id, `${field} moved back`];
    }
    before = claim;
  }
}

/** Checks that there is at most one claim a minute, none if they are disabled, and one in the end. */
function* judgeNumber(
  { timing, endedAt }: Evidence,
  { claims, reportsRead, isLast, isAtRest, baselineCompletedAt = Number.POSITIVE_INFINITY }: SourceEvidence,
): Generator<Problem> {
  const [first, last] = [claims[0], claims.at(-1)];
  if (
    last?.walkedAt === undefined &&
    reportsRead &&
    isLast &&
    isAtRest &&
    endedAt > baselineCompletedAt + MINUTE
  )
    yield ['G8', '', 'the source came to rest and never reported a walk over all groups'];
  if (first === undefined || last === undefined) return;
  if (!reportsRead) yield ['G8', first.event.id, 'was published, though the reports are switched off'];
  // Slots are counted, and a tick may report up to a minute after its slot, or after it froze.
  const most = Math.floor((last.at - first.at + timing.longestFreeze) / MINUTE) + 3;
  if (claims.length > most)
    yield ['G8', last.event.id, `is the last of ${claims.length} reports, and the time allows ${most}`];
}

/** Checks that in the end nothing counts as left out, unless the source reports why. */
function* judgeRest({ claims, isLast, isAtRest, reasons }: SourceEvidence): Generator<Problem> {
  const last = claims.at(-1);
  if (last === undefined || !isLast || !isAtRest || last.leftOut === 0) return;
  if (reasons.every((code) => code === 'clock'))
    yield ['G8', last.event.id, `counts ${last.leftOut} as left out, though the source is at rest and well`];
}

/** Checks that the newest claim arrived, except one that was written at the end of the run. */
function* judgeArrivals({ endedAt }: Evidence, { claims, queue, bus }: SourceEvidence): Generator<Problem> {
  const newest = claims.findLast(({ at }) => at < endedAt - 10 * SECOND)?.event;
  if (newest === undefined) return;
  for (const [place, arrivals] of Object.entries({ 'ordered subscribers': queue, bus })) {
    const isThere = arrivals.some(
      ({ event }) => event.type === 'feed.source_read' && event.data.sequence >= newest.data.sequence,
    );
    if (!isThere) yield ['G1', newest.id, `did not arrive at the ${place}, nor did a newer one`];
  }
}
