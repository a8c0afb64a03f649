// What the checks have found. A finding stands until a complete round of its lane that began after it was last seen.
import type { Instant } from '../instant.ts';
import { walkedAt } from '../position/position.ts';
import type { Finding, LaneName, SourceState } from '../source/source-state.ts';

/**
 * Returns the state with a finding, or with the known one counted on.
 *
 * @param found with a count of 0 and no example if it is only seen again
 */
export function noteFinding(
  state: SourceState,
  { code, field, count, example, ...found }: Omit<Finding, 'seenAt'>,
  now: Instant,
): SourceState {
  // Look-ups have no rounds.
  const lane = found.lane === 'look-ups' ? 'recent' : found.lane;
  const known = state.findings.find(
    (finding) => finding.code === code && finding.field === field && finding.lane === lane,
  );
  const others = state.findings.filter((finding) => finding !== known);
  if (known === undefined && count === 0) return state;
  const finding = {
    ...{ code, lane, seenAt: now, ...(field !== undefined && { field }) },
    count: (known?.count ?? 0) + count,
    example: example === '' ? (known?.example ?? '') : example,
  };
  return { ...state, findings: [...others, finding] };
}

/** Returns the state after a complete round: what it did not find again is over, for fields what no walk has found. */
export function endFindings(state: SourceState, lane: LaneName, startedAt: Instant): SourceState {
  const walked = walkedAt(state.position) ?? Number.NEGATIVE_INFINITY;
  const findings = state.findings.filter(({ code, lane: found, seenAt }) =>
    code === 'unreadable_field' ? seenAt >= walked : found !== lane || seenAt >= startedAt,
  );
  return findings.length === state.findings.length ? state : { ...state, findings };
}

const MESSAGES: Readonly<Record<Finding['code'], string>> = {
  groups_hidden: 'Lists of the service leave out return groups that it shows when asked by id',
  filter_ignored:
    'The service returns groups outside of the times that were asked for: it ignores or shifts the filter',
  polls_miss_changes:
    'Walks find changes whose updated_at polls had passed: they showed later than the lookback, or updated_at is not what the service filters by',
  clock:
    'Return groups have timestamps more than a minute ahead of the local time, so only walks read their changes',
  unreadable_field:
    "A field has values that can't be read, so it keeps its last known value, and an entity without it is set aside",
};

export function describeFinding({ code, count, example }: Finding): string {
  return `${MESSAGES[code]} (${count}, for example ${example}).`;
}
