// G8: what the feed tells of itself is so: a baseline once, with true figures; a source that is degraded for a reason
// that there is, until it has recovered; and of what the document does not list nothing
// but what the service sent.
import type { EventOf } from '../../../shared/contract/event.ts';
import type { Arrival, Evidence, SourceEvidence, Time, Violation } from './evidence.ts';
import { timeOf } from './stamps.ts';
import type { GroupHistory } from './states.ts';
import { unlistedIn, unlistedStatusesIn } from './unlisted.ts';

const MINUTE = 60_000_000;

type Histories = ReadonlyMap<number, GroupHistory>;

export function checkFeedEvents(
  evidence: Evidence,
  source: SourceEvidence,
  histories: Histories,
): Violation[] {
  const problems = [
    ...judgeBaseline(evidence, source, histories),
    ...judgeConditions(evidence, source),
    ...judgeRecoveries(evidence, source, histories),
    ...judgeDrift(evidence, source, histories),
    ...judgeSkips(source),
  ];
  return problems.map(([place, message]) => ({ guarantee: 'G8', source: source.source, place, message }));
}

type Problem = readonly [place: string, message: string];

function ofType<Type extends 'feed.baseline_completed' | 'feed.drift_detected' | 'feed.events_skipped'>(
  { written }: SourceEvidence,
  type: Type,
): { readonly at: Time; readonly event: EventOf<Type> }[] {
  return written.filter(({ event }) => event.type === type) as never;
}

function* judgeBaseline(
  evidence: Evidence,
  source: SourceEvidence,
  histories: Histories,
): Generator<Problem> {
  const completed = ofType(source, 'feed.baseline_completed');
  const [first, second] = completed;
  if (second !== undefined) yield [second.event.id, 'the baseline was completed before'];
  if (first === undefined) return;
  const { at, event } = first;
  const { mode, groups, requests, started_at: startedAt, completed_at: completedAt } = event.data.object;
  if (mode !== source.baseline) yield [event.id, `the baseline is said to be ${mode}`];
  if (requests < 1 || requests > evidence.sent.length)
    yield [event.id, `${requests} requests were never sent`];
  // A new generation is begun by the clock of the operator's machine.
  const isTimed = evidence.timing.knowsTheTime && source.isOnly;
  const [from, to] = [timeOf(startedAt), timeOf(completedAt)];
  if (from === undefined || to === undefined || (isTimed && from > to + evidence.timing.lateBy)) {
    yield [event.id, `the baseline went on from ${startedAt} to ${completedAt}`];
  }
  const { least: there, most } = groupsUntil(at, source, histories, evidence);
  const sure = evidence.promises.tellsFractions ? there : there - 1;
  const least = evidence.promises.namesZones ? sure : 0;
  if (groups < least || groups > most) yield [event.id, `counts ${groups} groups, of ${least} to ${most}`];
}

/**
 * Groups that were there all the time until then, and at any time of it. Unreadable ones are not counted. One that was
 * created within a second of where ranges meet may be counted in neither; where stores live there is one such place.
 */
function groupsUntil(
  at: Time,
  { startedAt = 0 }: SourceEvidence,
  histories: Histories,
  { unreadable }: Evidence,
) {
  let least = 0;
  let most = 0;
  for (const [groupId, { showings }] of histories) {
    if (unreadable.has(groupId)) continue;
    const during = showings.filter(({ from, to }) => to > startedAt && from <= at);
    if (during.some(({ document }) => document !== undefined)) most += 1;
    const before = showings.filter(({ from, to }) => to > startedAt - MINUTE && from <= at);
    if (before.every(({ document }) => document !== undefined)) least += 1;
  }
  return { least, most };
}

type Condition = Arrival & {
  readonly event: EventOf<'feed.source_degraded'> | EventOf<'feed.source_recovered'>;
};

/** What has to be before polls are so far behind that a source is degraded by it. */
function* judgeConditions(evidence: Evidence, source: SourceEvidence): Generator<Problem> {
  const isCondition = (arrival: Arrival): arrival is Condition =>
    arrival.event.type === 'feed.source_degraded' || arrival.event.type === 'feed.source_recovered';
  let since: string | undefined;
  let wellFrom = source.startedAt ?? 0;
  let said: readonly string[] = [];
  for (const { at, event } of source.written.filter(isCondition)) {
    const { object } = event.data;
    const codes = object.reasons.map(({ code }) => code);
    if (object.name !== source.source) yield [event.id, `is about ${object.name}`];
    if (since !== undefined && object.since !== since) yield [event.id, `has another since than ${since}`];
    if (event.type === 'feed.source_recovered') {
      if (since === undefined) yield [event.id, 'the source has recovered, and was not degraded'];
      if (codes.length > 0) yield [event.id, `the source has recovered, with ${codes.join(', ')}`];
      if (isOut(evidence, at)) yield [event.id, 'the source has recovered in the middle of an outage'];
      since = undefined;
      wellFrom = at;
      continue;
    }
    if (codes.length === 0) yield [event.id, 'the source is degraded for no reason'];
    const kinds = codes.map((code) => (BEHIND.has(code) && code !== 'stalled' ? 'behind' : code));
    // One of several reasons may have gone and come again; groups that are set aside may have become many more.
    const isNews =
      codes.some((code) => MAY_GROW.has(code)) ||
      kinds.length > 1 ||
      kinds.some((kind) => !said.includes(kind));
    if (since !== undefined && !isNews) yield [event.id, 'was degraded already, for the same reason'];
    said = kinds;
    if (since === undefined) {
      const patience = Math.max(3 * source.interval, 5 * MINUTE);
      // Polls are expected from the slot on that was taken last, which may be one that was tried before.
      const isEarly = at - wellFrom < patience - 2 * source.interval - LATEST_SLOT;
      // One that was begun anew may have been behind before.
      if (isEarly && source.isOnly && codes.some((code) => BEHIND.has(code)))
        yield [event.id, `is behind ${at - wellFrom} microseconds after it was well`];
    }
    for (const code of codes) {
      if (!evidence.causes.has(code)) yield [event.id, `the source is ${code}, of which there is no cause`];
    }
    since ??= object.since;
  }
}

/** A source whose look-ups fail for ever has not recovered while it lacks a removal that no look-up can confirm. */
function* judgeRecoveries(
  { lasting }: Evidence,
  { written, baselineCompletedAt }: SourceEvidence,
  histories: Histories,
): Generator<Problem> {
  if (lasting === undefined || lasting.to !== undefined || baselineCompletedAt === undefined) return;
  if (lasting.shape !== 'parameter return_group_id' || lasting.what === 'empty') return;
  const told = new Set<number>();
  for (const { event } of written)
    if (event.type === 'return_group.removed') told.add(event.data.return_group.id);
  const gone = [...histories].flatMap(([groupId, { documents }]) => {
    const last = documents.at(-1);
    const isGone = last !== undefined && last.document === undefined && last.at > baselineCompletedAt;
    return isGone && !told.has(groupId) ? [{ groupId, at: Math.max(last.at, lasting.from) }] : [];
  });
  for (const { at, event } of written) {
    if (event.type !== 'feed.source_recovered') continue;
    const missing = gone.find((group) => group.at + WALKS_UNTIL_SET_ASIDE * lasting.cycle < at);
    if (missing !== undefined)
      yield [
        event.id,
        `the source has recovered, and group ${missing.groupId}, which is gone, was never told`,
      ];
  }
}

/** One that is under way, one in which it is met for the first time, and as many that are cut off. */
const WALKS_UNTIL_SET_ASIDE = 4;
const LATEST_SLOT = 2 * MINUTE;

/** Reasons that take a source three polls or five minutes. */
const BEHIND = new Set(['behind', 'unstable', 'failing', 'stalled']);
/** Reasons that may be told again. */
const MAY_GROW = new Set(['held', 'unreadable']);

/** In the middle of an outage: what was answered just before it began may still be told. */
function isOut({ outage, timing }: Evidence, at: Time): boolean {
  if (outage === undefined) return false;
  return at > outage.from + timing.slowestAnswer + MINUTE && at < outage.to;
}

/** Each finding is new, and the service sent it; what is told of a value that no document lists is found. */
function* judgeDrift(
  { promises, unreadable }: Evidence,
  source: SourceEvidence,
  histories: Histories,
): Generator<Problem> {
  const sent = new Set<string>();
  for (const { documents } of histories.values()) {
    for (const { document } of documents) if (document !== undefined) unlistedIn(document, sent);
  }
  const found = new Set<string>();
  for (const { event } of ofType(source, 'feed.drift_detected')) {
    const { findings } = event.data.object;
    if (findings.length === 0) yield [event.id, 'finds nothing'];
    for (const finding of findings) {
      if (found.has(finding)) yield [event.id, `finds ${finding} again`];
      if (promises.showsWhatIs && !sent.has(finding))
        yield [event.id, `finds ${finding}, which the service never sent`];
      found.add(finding);
    }
  }
  const isWhole = source.isOnly && source.cameToRest && promises.findsRemovals;
  if (!isWhole || found.size >= MOST_FOUND) return;
  // What a tick met that came to no end is met again, if it still is there.
  for (const [groupId, { documents }] of histories) {
    const present = unreadable.has(groupId) ? undefined : documents.at(-1)?.document;
    for (const value of present === undefined ? [] : unlistedStatusesIn(present)) {
      if (found.has(value)) continue;
      found.add(value);
      yield [`group ${groupId}`, `has ${value}, and nothing says that it is not listed`];
    }
  }
}

const MOST_FOUND = 200;

/** Only what an operator steps over, or forgets, is skipped. */
function* judgeSkips(source: SourceEvidence): Generator<Problem> {
  if (source.mayBeSkipped) return;
  for (const { event } of ofType(source, 'feed.events_skipped')) {
    yield [event.id, 'says that events were skipped, and nobody skipped any'];
  }
}
