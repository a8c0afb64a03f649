// G5: `observed` and `time` are true. By the store's own history a change first showed between `after` and `by`.
// `after` is null for a first reading. `time` is the group's stamp, or else the moment of the reading.
import type { Evidence, SourceEvidence, Time, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { plainBag, plainId } from './plain-values.ts';
import { type Run, runsOf, type Showing } from './showing.ts';
import { isSameMoment, timeOf } from './stamps.ts';
import { entitiesOf, type GroupHistory, type PublishedChange, type State } from './states.ts';

interface Window {
  /** In the time of the store's history; undefined at first sight. */
  readonly after: Time | undefined;
  readonly by: Time;
}

type Violate = (change: PublishedChange, message: string) => void;

export function checkObserved(
  evidence: Evidence,
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
  histories: ReadonlyMap<number, GroupHistory>,
): Violation[] {
  const violations: Violation[] = [];
  const writtenAt = new Map(source.written.map(({ event, at }) => [event.id, at]));
  for (const group of published.values()) {
    const history = histories.get(group.groupId);
    if (history === undefined) continue;
    const violate: Violate = ({ name, event }, message) =>
      violations.push({
        guarantee: 'G5',
        source: source.source,
        place: `${name} of group ${group.groupId}, number ${event.data.sequence}`,
        message,
      });
    const windows = windowsOf(group, violate);
    for (const [change, window] of windows) {
      judgeWindow(change, window, history.showings, evidence, violate);
      judgeBy(change, window, writtenAt.get(change.event.id), evidence, violate);
    }
    judgeFirstSights(windows, evidence, violate);
    judgeTimes(windows, violate);
  }
  return violations;
}

type Windows = ReadonlyMap<PublishedChange, Window>;

function windowsOf({ changes }: PublishedGroup, violate: Violate): Windows {
  const windows = new Map<PublishedChange, Window>();
  for (const change of changes) {
    const { after, by } = change.event.data.observed;
    const from = after === null ? undefined : timeOf(after);
    const to = timeOf(by);
    if (to === undefined || (after !== null && from === undefined)) {
      violate(change, `was observed after ${after} by ${by}, which are not times`);
      continue;
    }
    windows.set(change, {
      after: from,
      by: to,
    });
  }
  return windows;
}

/** Refunds without an id have the same name, so an earlier state may be of another refund. */
function mayBeAnother({ name }: PublishedChange): boolean {
  return name === 'refund_transaction/undefined';
}

/** Checks that the published state first showed within the window, and could still be read near its end. */
function judgeWindow(
  change: PublishedChange,
  { after, by }: Window,
  showings: readonly Showing[],
  { timing, stampsBehind }: Evidence,
  violate: Violate,
): void {
  const runs = runsOfState(change, showings);
  // A copy that lags says that nothing has changed since.
  const least = (after ?? Number.NEGATIVE_INFINITY) - timing.clocksOff - timing.lag;
  const isRead = ({ from, to }: Run<unknown>) =>
    from <= by + timing.clocksOff && to > by - timing.slowestAnswer;
  const read = runs.filter(isRead);
  if (read.length === 0) violate(change, `could not be read by ${by}: ${describeRuns(runs)}`);
  else if (
    !read.some(({ from }) => from >= least) &&
    !isSinceCreation(change, after, read, stampsBehind) &&
    !mayBeAnother(change)
  )
    violate(change, `was observed after ${after}, and showed before: ${describeRuns(read)}`);
}

/** States that existed at the start did not show before the group's creation. */
function isSinceCreation(
  { event }: PublishedChange,
  after: Time | undefined,
  read: readonly Run<unknown>[],
  stampsBehind: number,
): boolean {
  const stamp = timeOf(event.data.return_group.created_at) ?? Number.NEGATIVE_INFINITY;
  const createdAt = stamp + stampsBehind;
  const isFromTheStart = read.some(({ from }) => from === Number.NEGATIVE_INFINITY);
  return isFromTheStart && after !== undefined && after <= createdAt;
}

function runsOfState(change: PublishedChange, showings: readonly Showing[]): Run<unknown>[] {
  if (change.kind === 'refund_transaction') {
    const refund = refundText(change.event.data.object);
    return runsOf(showings, (document) => refundsIn(document).includes(refund)).filter(({ value }) => value);
  }
  const state: State | undefined = change.verb === 'removed' ? undefined : change.state;
  const runs = runsOf(showings, (document) => document && entitiesOf(document).get(change.name));
  return runs.filter(({ value }) => value === state);
}

function refundsIn(document: Showing['document']): string[] {
  const refunds = document?.refund_transactions;
  return Array.isArray(refunds) ? refunds.map(refundText) : [];
}

function refundText(refund: unknown): string {
  const { platform_id: id, gateway = null, amount } = refund as Record<string, unknown>;
  return JSON.stringify([plainId(id), gateway, plainBag(amount)]);
}

function describeRuns(runs: readonly Run<unknown>[]): string {
  return runs.map(({ from, to }) => `${from} to ${to}`).join(', ') || 'never';
}

/** Checks that no event's reading is later than its save. */
function judgeBy(
  change: PublishedChange,
  { by }: Window,
  writtenAt: Time | undefined,
  { timing }: Evidence,
  violate: Violate,
): void {
  if (writtenAt === undefined || by <= writtenAt + timing.clocksOff) return;
  violate(change, `was observed by ${by}, and written ${by - writtenAt} microseconds before`);
}

/** Checks that a group's first reading shows all its entities. Only entities of a new array may come later. */
function judgeFirstSights(windows: Windows, { showsEmptyArrays }: Evidence, violate: Violate): void {
  const firstSights = firstSightsOf(windows);
  const others = [...windows.keys()].filter(({ verb }) => verb !== 'created');
  // Another answer, which changed the group, may have come in the same moment.
  const seconds = new Set(others.map(({ event }) => event.data.observed.by));
  for (const [change, { after }] of windows) {
    const { by } = change.event.data.observed;
    const isFirst = firstSights.has(by);
    if (isFirst && change.verb === 'created' && after !== undefined && !seconds.has(by))
      violate(change, 'is a first reading, and has an `after`');
    const mayBeFirst = change.verb === 'created' && !showsEmptyArrays;
    if (!isFirst && !mayBeFirst && after === undefined) {
      violate(change, 'is not a first reading, and has no `after`');
    }
  }
}

/** Returns the ends of the windows of the group's first readings. */
function firstSightsOf(windows: Windows): ReadonlySet<string> {
  const created = [...windows.keys()].filter(
    ({ kind, verb }) => kind === 'return_group' && verb === 'created',
  );
  return new Set(created.map(({ event }) => event.data.observed.by));
}

/** `time` is the stamp if it moved since the last event, else the moment of the reading. */
function judgeTimes(windows: Windows, violate: Violate): void {
  let before: { readonly by: string; readonly stamp: number } | undefined;
  let last: { readonly by: string; readonly stamp: number } | undefined;
  const firstSights = firstSightsOf(windows);
  for (const change of windows.keys()) {
    const { event, kind, verb } = change;
    const { by } = event.data.observed;
    const time = timeOf(event.time);
    const stamp = timeOf(event.data.return_group.updated_at);
    const moment = timeOf(by);
    if (time === undefined || stamp === undefined || moment === undefined) {
      violate(
        change,
        `has the time ${event.time}, and its group the stamp ${event.data.return_group.updated_at}`,
      );
      continue;
    }
    if (last?.by !== by) before = last;
    last = { by, stamp };
    const isMoment = isSameMoment(time, moment);
    const isStamp = isSameMoment(time, stamp);
    const isFirstSight = firstSights.has(by);
    const hasMoved = isFirstSight || before === undefined || stamp > before.stamp;
    const isRemoved = kind === 'return_group' && verb === 'removed';
    if (!isMoment && !isStamp) violate(change, `has a time that is neither stamp nor reading: ${event.time}`);
    else if (isRemoved && !isMoment) violate(change, 'has a stamp as its time, though the group is gone');
    else if (!hasMoved && !isMoment)
      violate(change, 'has a stamp as its time, though the stamp has not moved');
    else if (isFirstSight && !isStamp) violate(change, 'is a first reading, and its time is not the stamp');
  }
}
