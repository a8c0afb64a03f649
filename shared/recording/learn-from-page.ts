// What each page shows about the service: the form of its stamps, whether they are ahead, and since when it sends a field.
import { learnFields } from '../comparing/known-fields.ts';
import { noteFinding } from '../guarding/findings.ts';
import { formatInstant, type Instant } from '../instant.ts';
import { isPlausible } from '../position/position.ts';
import type { Page } from '../reading/range.ts';
import type { ReadableRow } from '../returns-service/parse-return-group.ts';
import type { LaneName, SourceState } from '../source/source-state.ts';

/** Returns the state with what the page shows, all but the newest stamp: that counts once the rows are saved. */
export function learnFromPage(state: SourceState, page: Page, lane: LaneName, now: Instant): SourceState {
  const rows = readableOf(page.rows);
  const since = state.baselineAt === undefined ? state.startedAt : page.sentAt;
  const fieldsSince = rows.reduce((known, { group }) => learnFields(known, group, since), state.fieldsSince);
  const learned = { ...state, fieldsSince, stampForm: formOf(page.rows) ?? state.stampForm };
  return checkClock(learned, rows, page, lane, now);
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
