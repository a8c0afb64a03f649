// What each page shows about the service: the form and the newest of its stamps, and since when it sends a field.
import { learnFields } from '../comparing/known-fields.ts';
import { noteFinding } from '../guarding/findings.ts';
import { formatInstant, type Instant, MINUTE, SECOND } from '../instant.ts';
import type { Page } from '../reading/range.ts';
import type { ReadableRow } from '../returns-service/parse-return-group.ts';
import type { LaneName, SourceState } from '../source/source-state.ts';

/** A stamp further ahead of the local time is not plausible: it never moves the cursor. */
const PLAUSIBLE_AHEAD = MINUTE;
/** How far the service's clock may be from the local one without being reported. */
const CLOCKS_APART = MINUTE;

/** Returns the state with what the page shows, all but the newest stamp: that counts once the rows are saved. */
export function learnFromPage(state: SourceState, page: Page, lane: LaneName): SourceState {
  const rows = page.rows.filter((row) => row.kind === 'readable');
  const startedAt = startOf(state, page);
  const since = state.baselineAt === undefined ? startedAt : page.sentAt;
  const fieldsSince = rows.reduce((known, { group }) => learnFields(known, group, since), state.fieldsSince);
  const learned = { ...state, startedAt, fieldsSince, stampForm: formOf(rows) ?? state.stampForm };
  return checkClock(learned, rows, page, lane);
}

/** The feed's start by the service's clock, if that is behind: else what is created first would count as older. */
function startOf({ startedAt, newest, baselineAt }: SourceState, { date }: Page): Instant {
  const isFirst = newest === undefined && baselineAt === undefined;
  return isFirst && date !== undefined ? Math.min(startedAt, date + SECOND) : startedAt;
}

function formOf(rows: readonly ReadableRow[]): SourceState['stampForm'] | undefined {
  if (rows.length === 0) return undefined;
  return {
    zoned: rows.every(({ zoned }) => zoned),
    digits: Math.max(...rows.map(({ precision }) => precision)),
  };
}

/** Returns the newest plausible stamp after the rows of a page. */
export function newestStamp(known: Instant | undefined, { rows, receivedAt }: Page): Instant | undefined {
  return rows.reduce<Instant | undefined>((newest, row) => {
    if (row.kind === 'unreadable' || row.updatedAt > receivedAt + PLAUSIBLE_AHEAD) return newest;
    return Math.max(newest ?? row.updatedAt, row.updatedAt);
  }, known);
}

/** Reports clocks that differ; nothing depends on them. */
function checkClock(
  state: SourceState,
  rows: readonly ReadableRow[],
  { date, sentAt, receivedAt }: Page,
  lane: LaneName,
): SourceState {
  const isDateOff = date !== undefined && (date < sentAt - CLOCKS_APART || date > receivedAt + CLOCKS_APART);
  const ahead = rows.filter(({ updatedAt }) => updatedAt > receivedAt + PLAUSIBLE_AHEAD);
  const [first] = ahead;
  if (!isDateOff && first === undefined) return state;
  const example =
    first === undefined
      ? `Date ${formatInstant(date ?? 0)} at ${formatInstant(receivedAt)}`
      : `updated_at ${formatInstant(first.updatedAt)} of return group ${first.group.id}`;
  return noteFinding(state, { code: 'clock', lane, count: Math.max(1, ahead.length), example }, receivedAt);
}
