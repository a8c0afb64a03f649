// Learns about the service from each page: the form of its stamps, whether they are ahead, since when it sends a field,
// and which fields can't be read.
import { learnFields } from '../comparing/known-fields.ts';
import { noteFinding } from '../guarding/findings.ts';
import { formatInstant, type Instant } from '../instant.ts';
import { isPlausible } from '../position/position.ts';
import type { Page } from '../reading/range.ts';
import type { ReadableRow } from '../returns-service/parse-return-group.ts';
import { isWalk, type LaneName, type SourceState } from '../source/source-state.ts';

/** Returns the state with what the page shows, all but the newest stamp: that counts once the rows are saved. */
export function learnFromPage(state: SourceState, page: Page, lane: LaneName, now: Instant): SourceState {
  const rows = readableOf(page.rows);
  const since = state.baselineAt === undefined ? state.startedAt : page.sentAt;
  const groups = rows.map(({ group }) => group);
  const fields = learnFields(state, groups, { since, sentAt: page.sentAt, isWalk: isWalk(lane) });
  const learned = { ...state, ...fields, stampForm: formOf(page.rows) ?? state.stampForm };
  return noteFaults(checkClock(learned, rows, page, lane, now), rows, now);
}

/** Reports fields that can't be read, until walks over all groups show none. */
function noteFaults(state: SourceState, rows: readonly ReadableRow[], now: Instant): SourceState {
  const counts = new Map<string, { count: number; example: string }>();
  for (const { group, faults } of rows)
    for (const { field, shape } of faults) {
      const { count = 0, example = `${field} of return group ${group.id} ${shape}` } =
        counts.get(field) ?? {};
      counts.set(field, { count: count + 1, example });
    }
  const found = [...counts].map(([field, each]) => ({ code: 'unreadable_field', field, ...each }) as const);
  return found.reduce((noted, finding) => noteFinding(noted, { lane: 'recent', ...finding }, now), state);
}

/** The form of the rows' stamps; undefined if none can be read. */
export function formOf(all: Page['rows']): SourceState['stampForm'] | undefined {
  const rows = readableOf(all);
  if (rows.length === 0) return undefined;
  return {
    zoned: rows.every(({ zoned }) => zoned),
    digits: Math.max(...rows.map(({ precision }) => precision)),
  };
}

function readableOf(rows: Page['rows']): ReadableRow[] {
  return rows.filter((row) => row.kind === 'readable');
}

/** Reports stamps ahead of the local time: only walks read them. */
function checkClock(
  state: SourceState,
  rows: readonly ReadableRow[],
  { receivedAt }: Page,
  lane: LaneName,
  now: Instant,
): SourceState {
  const ahead = rows.filter(({ updatedAt }) => !isPlausible(updatedAt, receivedAt));
  const [first] = ahead;
  if (first === undefined) return state;
  const example = `updated_at ${formatInstant(first.updatedAt)} of return group ${first.group.id}`;
  return noteFinding(state, { code: 'clock', lane, count: ahead.length, example }, now);
}
