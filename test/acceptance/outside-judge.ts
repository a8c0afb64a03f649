import { agreeOn, agrees } from './agreeing.ts';
import type { EntityHistory, EntityState, Fields, PrintedEvent } from './history.ts';
import { type OutsideEvent, readEvent, WATCHED } from './printed-event.ts';

/**
 * Decides by the service's own history whether the output of `watch` is true, in order and complete. It knows only the
 * README's promises and the event catalogue, and nothing of the feed's code.
 */
export interface Evidence {
  readonly histories: readonly EntityHistory[];
  /** Every `updated_at` that a group had. */
  readonly stampsOf: (groupId: number) => readonly string[];
  readonly printed: readonly PrintedEvent[];
  /** When each request arrived at the service, in order. */
  readonly requestedAt: readonly number[];
  readonly budget: number;
  readonly settleMs: number;
  /** Entities from before this time are known without events; undefined if everything is announced. */
  readonly silentUntil: number | undefined;
  /** How late a change may show after its stamp. */
  readonly lookbackMs: number;
  /** Whether the service sends money in an unreadable form: then null is right, and another amount is wrong. */
  readonly unreadableMoney?: boolean;
  /** Watched fields that the service showed for the first time at `from`: until `until` nobody can distinguish a change
   *  from a field that was hidden before, so no event is needed (decision 4). */
  readonly firstShown?: readonly FirstShown[];
}

export interface FirstShown {
  readonly field: string;
  readonly from: number;
  readonly until: number;
}

export interface Verdict {
  readonly problems: readonly Problem[];
  readonly events: number;
  readonly repeats: number;
  readonly peakRequests: number;
}

export interface Problem {
  readonly rule: Rule;
  readonly text: string;
}

export type Rule =
  | 'valid'
  | 'chain'
  | 'numbers'
  | 'same-id'
  | 'true'
  | 'observed'
  | 'complete'
  | 'removal'
  | 'budget'
  | 'said'
  | 'delivered';

interface Told {
  readonly state: Fields | undefined;
  /** Index of the published state in the entity's history: the next state comes after it. */
  readonly index: number;
}

/** Checks all rules; `complete` is meaningful only after a quiet period. */
export function judge(evidence: Evidence): Verdict {
  const problems: Problem[] = [];
  const { firsts, repeats } = withoutRepeats(evidence.printed, problems);
  const histories = new Map(evidence.histories.map((history) => [history.subject, history]));
  const published = new Map<string, Told>();

  checkNumbers(firsts, problems);
  for (const { event, arrivedAt } of firsts) {
    const history = histories.get(event.subject);
    if (!history) {
      problems.push({ rule: 'true', text: `${event.id}: the service never had ${event.subject}` });
      continue;
    }
    checkChain(event, published.get(event.subject), problems);
    const index = checkTruth(event, arrivedAt, history, published.get(event.subject), evidence, problems);
    checkRest(event, history, index, evidence, problems);
    published.set(event.subject, { state: event.verb === 'removed' ? undefined : event.object, index });
    if (event.type === 'return_group.removed') takePartsAlong(event, histories, published);
  }
  for (const history of evidence.histories)
    checkComplete(history, published.get(history.subject), evidence, problems);

  const peakRequests = mostInAMinute(evidence.requestedAt);
  if (peakRequests > evidence.budget) {
    problems.push({
      rule: 'budget',
      text: `${peakRequests} requests in 60 s, the budget is ${evidence.budget}`,
    });
  }
  return { problems, events: firsts.length, repeats, peakRequests };
}

interface First {
  readonly event: OutsideEvent;
  readonly arrivedAt: number;
}

/** The first arrival of each id, in order. */
function withoutRepeats(printed: readonly PrintedEvent[], problems: Problem[]) {
  const lines = new Map<string, string>();
  const firsts: First[] = [];
  let repeats = 0;

  for (const { line, arrivedAt } of printed) {
    const event = readEvent(line);
    if (typeof event === 'string') {
      problems.push({ rule: 'valid', text: event });
      continue;
    }
    const before = lines.get(event.id);
    if (before === undefined) {
      lines.set(event.id, line);
      firsts.push({ event, arrivedAt });
      continue;
    }
    repeats += 1;
    if (before !== line)
      problems.push({ rule: 'same-id', text: `${event.id} is repeated with other content` });
  }
  return { firsts, repeats };
}

function checkNumbers(firsts: readonly First[], problems: Problem[]): void {
  const last = new Map<number, number>();
  for (const { event } of firsts) {
    const expected = (last.get(event.groupId) ?? 0) + 1;
    if (event.sequence !== expected) {
      problems.push({
        rule: 'numbers',
        text: `${event.id}: number ${event.sequence} came instead of ${expected}`,
      });
    }
    last.set(event.groupId, event.sequence);
  }
}

function checkChain(event: OutsideEvent, before: Told | undefined, problems: Problem[]): void {
  const known = before?.state;
  if (event.verb === 'created') {
    if (known)
      problems.push({ rule: 'chain', text: `${event.id}: created, although it was published before` });
    return;
  }
  if (before && !known)
    problems.push({ rule: 'chain', text: `${event.id}: it was published as removed before` });
  if (!known) return;
  for (const name of WATCHED[event.kind]) {
    const changed = event.previous !== undefined && name in event.previous;
    const old = changed ? event.previous?.[name] : event.object[name];
    if (!agrees(old, known[name], name)) {
      const text = `${event.id}: ${name} was ${show(old)} by this event, ${show(known[name])} by the one before`;
      problems.push({ rule: 'chain', text });
    }
    if (changed && agrees(event.previous?.[name], event.object[name], name)) {
      problems.push({
        rule: 'chain',
        text: `${event.id}: ${name} is published as changed and did not change`,
      });
    }
  }
}

/** Finds the event's state in the history; returns its index, or the previous index if there is none. */
function checkTruth(
  event: OutsideEvent,
  arrivedAt: number,
  history: EntityHistory,
  before: Told | undefined,
  evidence: Evidence,
  problems: Problem[],
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
    problems.push({ rule: 'true', text: `${event.id}: the state before it never existed` });
  }
  if (
    evidence.silentUntil !== undefined &&
    !before &&
    event.verb === 'created' &&
    isAsAtTheStart(history, evidence) &&
    !isAmongTheNewest(history, evidence)
  ) {
    problems.push({
      rule: 'true',
      text: `${event.id} ${event.subject}: announced, though unchanged since before the start`,
    });
  }
  if (first === undefined) {
    const rule = event.verb === 'removed' ? 'removal' : 'true';
    const why = alike.length > 0 ? 'existed, but before the previously published state' : 'never existed';
    const what = event.verb === 'removed' ? 'its absence' : `the state ${showWatched(event)}`;
    problems.push({ rule, text: `${event.id} ${event.type} ${event.subject}: ${what} ${why}` });
    return least;
  }
  if (event.by > arrivedAt + CLOCK_SLACK_MS) {
    problems.push({
      rule: 'observed',
      text: `${event.id}: it arrived ${event.by - arrivedAt} ms before its observed.by`,
    });
  }
  if (event.verb === 'removed' && arrivedAt < history.states[first]!.shownFrom + evidence.settleMs) {
    const early = arrivedAt - history.states[first]!.shownFrom;
    problems.push({
      rule: 'removal',
      text: `${event.id} ${event.subject}: published ${early} ms after it was gone`,
    });
  }
  if (inWindow === undefined) {
    const { shownFrom, shownByAll } = history.states[first]!;
    const window = `${show(event.after && iso(event.after))} to ${iso(event.by)}`;
    const truth =
      shownFrom === 0 ? 'before the start' : `from ${iso(shownFrom)} (everywhere ${iso(shownByAll)})`;
    problems.push({
      rule: 'observed',
      text: `${event.id} ${event.type} ${event.subject}: observed ${window}, shown ${truth}`,
    });
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
 * Whether nothing of the group has changed since before the start. A feed may announce all of a changed group: by the
 * catalogue, everything seen for the first time is `created`.
 */
function isAsAtTheStart({ groupId }: EntityHistory, { histories }: Evidence): boolean {
  return histories.every(
    (history) => history.groupId !== groupId || history.states.every(({ shownFrom }) => shownFrom === 0),
  );
}

/**
 * Whether a group had changed within the lookback before the newest stamp at the start. Such a change may have become
 * visible after the start.
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
function checkRest(
  event: OutsideEvent,
  history: EntityHistory,
  index: number,
  evidence: Evidence,
  problems: Problem[],
): void {
  const fields = history.states[index]?.fields ?? history.states[index - 1]?.fields;
  const watched = WATCHED[event.kind];
  for (const [name, value] of Object.entries(event.object)) {
    if (name === 'updated_at' || watched.includes(name) || !fields) continue;
    if (agrees(value, fields[name], name, evidence.unreadableMoney)) continue;
    problems.push({
      rule: 'true',
      text: `${event.id}: ${name} is ${show(value)}, ${show(fields[name])} at the service`,
    });
  }
  const stamps = evidence.stampsOf(event.groupId);
  if (!stamps.some((stamp) => agrees(event.group.updated_at, stamp, 'updated_at'))) {
    problems.push({
      rule: 'true',
      text: `${event.id}: its group never had updated_at ${show(event.group.updated_at)}`,
    });
  }
  const time = new Date(event.time).toISOString();
  const stamped = stamps.some((stamp) => agrees(time, stamp, 'updated_at'));
  const within = event.time <= event.by && (event.after === undefined || event.time >= event.after);
  if (!stamped && !within) {
    problems.push({
      rule: 'true',
      text: `${event.id}: its time ${time} is neither a stamp nor within what was observed`,
    });
  }
}

/** Marks the parts of a removed group as gone: they have no events of their own. */
function takePartsAlong(
  event: OutsideEvent,
  histories: Map<string, EntityHistory>,
  published: Map<string, Told>,
): void {
  for (const history of histories.values()) {
    if (history.groupId !== event.groupId || history.kind === 'return_group') continue;
    const index = history.states.findLastIndex(({ fields }) => fields === undefined);
    published.set(history.subject, {
      state: undefined,
      index: Math.max(index, published.get(history.subject)?.index ?? -1),
    });
  }
}

function checkComplete(
  history: EntityHistory,
  published: Told | undefined,
  evidence: Evidence,
  problems: Problem[],
): void {
  const { subject, states } = history;
  const final = states.at(-1)?.fields;
  const missing = (text: string) => problems.push({ rule: 'complete', text: `${subject}: ${text}` });

  if (!published) {
    const { silentUntil } = evidence;
    const knownSilently =
      silentUntil === undefined ? [] : states.filter(({ shownFrom }) => shownFrom <= silentUntil);
    if (final === undefined && knownSilently.length === 0) return;
    if (knownSilently.some(({ fields }) => sameState(history, fields, final, evidence))) return;
    return void missing(
      final ? `never published, is ${showFields(history, final)}` : 'gone, and never published',
    );
  }
  if (sameState(history, published.state, final, evidence)) return;
  if (!final)
    return void missing(`gone since ${iso(states.at(-1)!.shownFrom)}, and not published as removed`);
  missing(
    `last published as ${published.state ? showFields(history, published.state) : 'removed'}, is ${showFields(history, final)} ` +
      `since ${iso(states.at(-1)!.shownFrom)}`,
  );
}

function sameState(
  { kind, states }: EntityHistory,
  published: Fields | undefined,
  final: Fields | undefined,
  evidence: Evidence,
): boolean {
  if (!published || !final) return published === final;
  return WATCHED[kind].every((name) => {
    if (agrees(published[name], final[name], name)) return true;
    const changedAt = states.findLast(({ fields }) => !agrees(fields?.[name], final[name], name));
    const shownFrom = states[changedAt ? states.indexOf(changedAt) + 1 : 0]?.shownFrom ?? 0;
    return evidence.firstShown?.some(
      ({ field, from, until }) => field === name && shownFrom >= from && shownFrom <= until,
    );
  });
}

/** The most requests in any sliding 60 seconds. */
export function mostInAMinute(requestedAt: readonly number[]): number {
  let most = 0;
  let from = 0;
  requestedAt.forEach((time, index) => {
    while (time - requestedAt[from]! >= 60_000) from += 1;
    most = Math.max(most, index - from + 1);
  });
  return most;
}

function showWatched(event: OutsideEvent): string {
  return JSON.stringify(Object.fromEntries(WATCHED[event.kind].map((name) => [name, event.object[name]])));
}

function showFields({ kind }: EntityHistory, fields: Fields): string {
  return JSON.stringify(Object.fromEntries(WATCHED[kind].map((name) => [name, fields[name]])));
}

function show(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function iso(time: number): string {
  return new Date(time).toISOString().slice(11);
}
