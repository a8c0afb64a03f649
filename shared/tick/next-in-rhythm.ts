/**
 * Returns when an action that repeats once in each interval is due again: an interval after it was due, even if it had
 * to wait for the budget, so that waits don't add up. If it was done early, or an interval or more late, the interval
 * counts from now.
 *
 * @param dueAt when it was due, in the unit and by the clock of `now`
 */
export function nextInRhythm(dueAt: number, now: number, interval: number): number {
  const isEarly = dueAt > now;
  const isMissed = dueAt + interval <= now;
  return (isEarly || isMissed ? now : dueAt) + interval;
}
