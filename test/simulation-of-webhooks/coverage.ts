// The cases that must occur in many runs. A case that never occurs is a gap in the plans.
const EXPECTED = [
  ...['done', 'again', 'threw', 'died', 'went on'].map((ending) => `invocation ${ending}`),
  ...['200', '301', '401', '404', '410', '413', '422', '429', '500', '503'].map(
    (status) => `answer ${status}`,
  ),
  ...['timeout', 'ECONNRESET', 'ECONNREFUSED'].map((failure) => `answer ${failure}`),
  ...['deleted', 'deleted too late', 'hidden', 'too late', 'kept'].map((what) => `message ${what}`),
  ...['pause', 'resume', 'ring', 'step over', 'forget'].map((kind) => `operator ${kind}`),
  ...['crash-before', 'crash-after', 'freeze', 'fail', 'slow', 'lost'].flatMap((fate) =>
    ['marks.advance', 'marks.noteFailing', 'endpoints.save'].map((call) => `${fate} ${call}`),
  ),
  ...['crash-before', 'crash-after', 'freeze'].map((fate) => `${fate} http.post`),
  ...['rung by the sweep', 'swept skipped', 'delivery lost', 'topic drops a repeat', 'stepped over by hand'],
  ...['sender with a clock ahead', 'whole return posted'],
] as const;

/** With fewer runs, some cases may well not occur. */
const ENOUGH_RUNS = 400;

/** @returns the cases that never occurred; none if there were too few runs to decide */
export function missedBy(occurrences: ReadonlyMap<string, number>, runs: number): string[] {
  if (runs < ENOUGH_RUNS) return [];
  return EXPECTED.filter((name) => (occurrences.get(name) ?? 0) === 0);
}
