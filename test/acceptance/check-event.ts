// Checks that an event continues the previous one, and is true by the service's history.
import { agreeOn, agrees } from './agreeing.ts';
import type { Evidence, PublishedEntity, Report } from './evidence.ts';
import type { EntityHistory, EntityState } from './history.ts';
import { type OutsideEvent, WATCHED } from './printed-event.ts';
import { iso, show, showWatched } from './show.ts';

export function checkChain(event: OutsideEvent, before: PublishedEntity | undefined, report: Report): void {
  const known = before?.state;
  if (event.verb === 'created') {
    if (known) report('chain', `${event.id}: created, although it was published before`);
    return;
  }
  if (before && !known) report('chain', `${event.id}: it was published as removed before`);
  if (!known) return;
  for (const name of WATCHED[event.kind]) {
    const changed = event.previous !== undefined && name in event.previous;
    const old = changed ? event.previous?.[name] : event.object[name];
    if (!agrees(old, known[name], name)) {
      const text = `${event.id}: ${name} was ${show(old)} by this event, ${show(known[name])} by the one before`;
      report('chain', text);
    }
    if (changed && agrees(event.previous?.[name], event.object[name], name)) {
      report('chain', `${event.id}: ${name} is published as changed and did not change`);
    }
  }
}

/** Finds the event's state in the history; returns its index, or the previous index if there is none. */
export function checkTruth(
  event: OutsideEvent,
  arrivedAt: number,
  history: EntityHistory,
  before: PublishedEntity | undefined,
  evidence: Evidence,
  report: Report,
): number {
  const watched = WATCHED[event.kind];
  const least = before?.index ?? oldState(event, history) ?? -1;
  const alike = history.states.flatMap(({ fields }, index) => {
    const is =
      event.verb === 'removed' ? fields === undefined : fields && agreeOn(watched, event.object, fields);
    return is ? [index] : [];
  });
  const later = alike.filter((index) => index > least);
  const inWindow = later.find((index) => isObserved(event, history.states[index]!));
  const [first] = later;

  if (before === undefined && event.previous && oldState(event, history) === undefined) {
    report('true', `${event.id}: the state before it never existed`);
  }
  if (
    evidence.silentUntil !== undefined &&
    !before &&
    event.verb === 'created' &&
    isAsAtTheStart(history, evidence) &&
    !isAmongTheNewest(history, evidence)
  ) {
    report('true', `${event.id} ${event.subject}: announced, though unchanged since before the start`);
  }
  if (first === undefined) {
    const rule = event.verb === 'removed' ? 'removal' : 'true';
    const why = alike.length > 0 ? 'existed, but before the previously published state' : 'never existed';
    const what =
      event.verb === 'removed' ? 'its absence' : `the state ${showWatched(event.kind, event.object)}`;
    report(rule, `${event.id} ${event.type} ${event.subject}: ${what} ${why}`);
    return least;
  }
  if (event.by > arrivedAt + CLOCK_SLACK_MS) {
    report('observed', `${event.id}: it arrived ${event.by - arrivedAt} ms before its observed.by`);
  }
  if (event.verb === 'removed' && arrivedAt < history.states[first]!.shownFrom + evidence.settleMs) {
    const early = arrivedAt - history.states[first]!.shownFrom;
    report('removal', `${event.id} ${event.subject}: published ${early} ms after it was gone`);
  }
  if (inWindow === undefined) {
    const { shownFrom, shownByAll } = history.states[first]!;
    const window = `${show(event.after && iso(event.after))} to ${iso(event.by)}`;
    const truth =
      shownFrom === 0 ? 'before the start' : `from ${iso(shownFrom)} (everywhere ${iso(shownByAll)})`;
    report('observed', `${event.id} ${event.type} ${event.subject}: observed ${window}, shown ${truth}`);
  }
  return inWindow ?? first;
}

/** A `Date` header has whole seconds, and a feed may use the service's clock for its times. */
const CLOCK_SLACK_MS = 1000;

function isObserved({ after, by }: OutsideEvent, { shownFrom, shownByAll }: EntityState): boolean {
  return (
    (after === undefined || after <= shownByAll + CLOCK_SLACK_MS) &&
    (shownFrom === 0 || by >= shownFrom - CLOCK_SLACK_MS)
  );
}

/**
 * Returns whether the group has not changed since the start. A feed may announce all parts of a changed group: by the
 * catalogue, everything seen for the first time is `created`.
 */
function isAsAtTheStart({ groupId }: EntityHistory, { histories }: Evidence): boolean {
  return histories.every(
    (history) => history.groupId !== groupId || history.states.every(({ shownFrom }) => shownFrom === 0),
  );
}

/**
 * Returns whether a group had changed within the lookback before the newest stamp at the start. Such a change may have
 * become visible after the start.
 */
function isAmongTheNewest(
  { groupId }: EntityHistory,
  { histories, stampsOf, lookbackMs }: Evidence,
): boolean {
  const stampAtStart = (id: number) => Date.parse(stampsOf(id)[0] ?? '');
  const known = histories.filter(({ states }) => states[0]?.shownFrom === 0);
  const newest = Math.max(...known.map((history) => stampAtStart(history.groupId)));
  return stampAtStart(groupId) >= newest - lookbackMs;
}

/** The index of the previous state that the first event of a silently known entity names. */
function oldState(event: OutsideEvent, { states }: EntityHistory): number | undefined {
  if (!event.previous && event.verb !== 'removed') return undefined;
  const old = { ...event.object, ...event.previous };
  const index = states.findIndex(({ fields }) => fields && agreeOn(WATCHED[event.kind], old, fields));
  return index < 0 ? undefined : index;
}

/** Checks the unwatched fields, the group and the time. */
export function checkRest(
  event: OutsideEvent,
  history: EntityHistory,
  index: number,
  evidence: Evidence,
  report: Report,
): void {
  const fields = history.states[index]?.fields ?? history.states[index - 1]?.fields;
  const watched = WATCHED[event.kind];
  for (const [name, value] of Object.entries(event.object)) {
    if (name === 'updated_at' || watched.includes(name) || !fields) continue;
    if (agrees(value, fields[name], name, evidence.unreadableMoney)) continue;
    report('true', `${event.id}: ${name} is ${show(value)}, ${show(fields[name])} at the service`);
  }
  const stamps = evidence.stampsOf(event.groupId);
  if (!stamps.some((stamp) => agrees(event.group.updated_at, stamp, 'updated_at'))) {
    report('true', `${event.id}: its group never had updated_at ${show(event.group.updated_at)}`);
  }
  const time = new Date(event.time).toISOString();
  const stamped = stamps.some((stamp) => agrees(time, stamp, 'updated_at'));
  const within = event.time <= event.by && (event.after === undefined || event.time >= event.after);
  if (!stamped && !within) {
    report('true', `${event.id}: its time ${time} is neither a stamp nor within what was observed`);
  }
}
