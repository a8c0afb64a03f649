// The codes of `feed.source_degraded` that the faults of a plan can cause.
import type { Plan } from './plan.ts';

/** Faults of calls and ticks. Each of them can prevent a poll from completing. */
const DELAYS = [
  ...(['crash', 'fail', 'lost', 'slow', 'freeze', 'clockJump', 'partial'] as const),
  ...(['tickLost', 'tickLate', 'tickDoubled'] as const),
] as const;

/** Orders in which rows move between requests. */
const RESTLESS = new Set(['random', 'shuffled', 'heap']);

/** @param isUnreadable whether any group is unreadable at any time */
export function causesOf(plan: Plan, isUnreadable: boolean): ReadonlySet<string> {
  const { knobs, faults, mishap, outage, rotationMs, operations = [], settings } = plan;
  const causes = new Set<string>();
  const isRestless = knobs.ties === 'unstable' || RESTLESS.has(String(knobs.order));
  const isDelayed =
    outage !== undefined ||
    mishap !== undefined ||
    rotationMs !== undefined ||
    DELAYS.some((fault) => faults[fault] > 0) ||
    (knobs.faultRate ?? 0) > 0 ||
    // The budget is too small, or the pages are.
    (knobs.rateLimit !== undefined && knobs.rateLimit > 0) ||
    settings.requestsPerMinute < 240 ||
    (knobs.limitMax ?? 250) < 20 ||
    knobs.limitChanges !== undefined ||
    knobs.pageBytes !== undefined ||
    // A tick has time for few requests.
    (knobs.latencyMs?.least ?? 0) > 2_000 ||
    operations.length > 0 ||
    plan.warm < 1;
  // An unreadable secret is read again, and reported as soon as a tick ends without a token.
  if (isDelayed) causes.add('token_unreadable');
  if (isUnreadable || plan.tooLarge !== undefined) causes.add('unreadable');
  if (isDelayed || isRestless) for (const code of ['behind', 'failing', 'stalled']) causes.add(code);
  if (isRestless || isDelayed) causes.add('unstable');
  // Polls show the same groups for an hour, whose changes without newer stamps wait for the last reading to settle.
  if (knobs.touches !== undefined && settings.settleMs >= 60_000) causes.add('behind');
  if (outage?.kind === 'refused' || rotationMs !== undefined || mishap !== undefined) causes.add('refused');
  const isThinnedOut = knobs.removals !== undefined || knobs.groupRemovals !== undefined;
  // If the list lacks a group and its look-up fails, the group is set aside.
  const mayLackGroups =
    mishap !== undefined || knobs.groupRemovals !== undefined || (knobs.staleShare ?? 0) > 0;
  // Not every service rejects a token with 401. With 404 or 500, only this group seems to fail.
  const mayFailLookUps =
    (knobs.faultRate ?? 0) > 0 ||
    outage !== undefined ||
    // A look-up that is refused twice with 429 counts as one that is always refused.
    (knobs.rateLimit ?? 0) > 0 ||
    (rotationMs !== undefined && knobs.badToken !== undefined);
  if (mayLackGroups && mayFailLookUps) causes.add('unreadable');
  if (mishap !== undefined || isThinnedOut) causes.add('held');
  return causes;
}
