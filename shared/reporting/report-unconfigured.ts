// A source whose entry is gone or malformed has no session and so no tick. Its
// stored state still lets the feed report it as degraded (G8). The next tick with settings reports it as recovered.
import { formatInstant, type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import type { Ledger, SourceStates } from '../ports.ts';
import type { SourceState } from '../source/source-state.ts';
import { publishFeedReports, queueFeedReport } from './feed-reports.ts';

const REASON = {
  code: 'misconfigured',
  message: "The source's entry can't be used: the log of the dispatcher or the poller names each problem.",
};

/**
 * Notes in the source's health that its settings can't be read, once polls have been missing for as long as any other
 * failure may last, and reports it. Does nothing if there is no state, or another process is at work.
 *
 * @param tick the one that found no settings; `slot` in milliseconds since the epoch
 */
export async function reportUnconfigured(
  { source, slot }: { readonly source: string; readonly slot: number },
  { states, ledger }: { readonly states: SourceStates; readonly ledger: Ledger },
): Promise<void> {
  const state = await states.load(source);
  const now = slot * MILLISECOND;
  if (state === undefined || state.mintedIn !== (await states.identity())) return;
  if (state.lease.expiresAt > now || !isOverdue(state, now)) return;
  const isNoted = state.health.reasons.some(({ code }) => code === REASON.code);
  const next = isNoted ? state : { ...degrade(state, now), version: state.version + 1 };
  if (!isNoted && (await states.save(next, state.version)) !== 'saved') return;
  // Also if it was noted before: a process may have ended in between. The next save of the state takes the report off its
  // list; if it is appended again until then, it appears once.
  await publishFeedReports(ledger, next);
}

function isOverdue({ lanes, pace }: SourceState, now: Instant): boolean {
  const interval = pace === undefined ? MINUTE : pace.intervalMs * MILLISECOND;
  return now - lanes.late.endedAt > Math.max(3 * interval, 5 * MINUTE);
}

function degrade(state: SourceState, now: Instant): SourceState {
  const { health, source } = state;
  const reasons = [...health.reasons, REASON];
  const degradedSince = health.degradedSince ?? now;
  const degraded = { ...state, health: { ...health, degradedSince, reasons } };
  const since = formatInstant(degradedSince);
  return queueFeedReport(
    degraded,
    'feed.source_degraded',
    { type: 'source', name: source, reasons, since },
    now,
  );
}
