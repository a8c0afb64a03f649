// G8: the feed's reports about itself are true. The baseline completes once, with correct figures. A source is degraded
// for an existing reason until it recovers. Drift findings name only values that the service sent.
import type { EventOf } from '../../../shared/contract/event.ts';
import type { Arrival, Evidence, GroupDocument, SourceEvidence, Time, Violation } from './evidence.ts';
import { timeOf } from './stamps.ts';
import { entitiesOf, type GroupHistory } from './states.ts';

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
  if (second !== undefined) yield [second.event.id, 'the baseline was already completed'];
  if (first === undefined) return;
  const { at, event } = first;
  const { mode, groups, requests, started_at: startedAt, completed_at: completedAt } = event.data.object;
  if (mode !== source.baseline) yield [event.id, `reports the baseline mode ${mode}`];
  if (requests < 1 || requests > evidence.sent.length)
    yield [event.id, `reports ${requests} requests, which were not sent`];
  // A new generation starts by the clock of the operator's machine.
  const [from, to] = [timeOf(startedAt), timeOf(completedAt)];
  if (
    from === undefined ||
    to === undefined ||
    (source.isOnly && from > to + 2 * evidence.timing.clocksOff)
  ) {
    yield [event.id, `reports a baseline from ${startedAt} to ${completedAt}`];
  }
  const { least, most } = groupsUntil(at, source, histories, evidence);
  // Where pages become shorter, the next walk finds what the baseline could not know to be missing.
  if ((groups < least && !evidence.mayMissChanges) || groups > most)
    yield [event.id, `reports ${groups} groups instead of ${least} to ${most}`];
}

/**
 * Counts the groups that existed and could be read all the time until `at` (`least`), and at any time (`most`).
 */
function groupsUntil(
  at: Time,
  { startedAt = 0, forgotten }: SourceEvidence,
  histories: Histories,
  { everUnreadable, everFailing, tooLarge, timing }: Evidence,
) {
  const from = startedAt - MINUTE - timing.lag;
  let least = 0;
  let most = 0;
  for (const [groupId, { showings }] of histories) {
    const during = showings.filter((each) => each.to > from && each.from <= at);
    if (during.some(({ document }) => document !== undefined)) most += 1;
    if (
      !everUnreadable.has(groupId) &&
      !everFailing.has(groupId) &&
      !tooLarge.has(groupId) &&
      !forgotten.some((each) => each.groupId === groupId) &&
      during.every(({ document }) => document !== undefined)
    )
      least += 1;
  }
  return { least, most };
}

type Condition = Arrival & {
  readonly event: EventOf<'feed.source_degraded'> | EventOf<'feed.source_recovered'>;
};

/** Judges degradations and recoveries: their order, their reasons and how early they come. */
function* judgeConditions(evidence: Evidence, source: SourceEvidence): Generator<Problem> {
  const isCondition = (arrival: Arrival): arrival is Condition =>
    arrival.event.type === 'feed.source_degraded' || arrival.event.type === 'feed.source_recovered';
  let since: string | undefined;
  let wellFrom = source.startedAt ?? 0;
  let lastKinds: readonly string[] = [];
  for (const { at, event } of source.written.filter(isCondition)) {
    const { object } = event.data;
    const codes = object.reasons.map(({ code }) => code);
    if (object.name !== source.source) yield [event.id, `is about ${object.name}`];
    if (since !== undefined && object.since !== since)
      yield [event.id, `has another \`since\` than ${since}`];
    if (event.type === 'feed.source_recovered') {
      if (since === undefined) yield [event.id, 'reports a recovery, though the source was not degraded'];
      if (codes.length > 0) yield [event.id, `reports a recovery with the reasons ${codes.join(', ')}`];
      if (isOut(evidence, at)) yield [event.id, 'reports a recovery in the middle of an outage'];
      since = undefined;
      wellFrom = at;
      continue;
    }
    if (codes.length === 0) yield [event.id, 'reports a degraded source without a reason'];
    const kinds = codes.map((code) => (BEHIND.has(code) && code !== 'stalled' ? 'behind' : code));
    // One of several reasons may have ended and begun again, or many more groups may have been set aside.
    const isNews =
      codes.some((code) => MAY_GROW.has(code)) ||
      kinds.length > 1 ||
      lastKinds.length > 1 ||
      kinds.some((kind) => !lastKinds.includes(kind));
    if (since !== undefined && !isNews) yield [event.id, 'repeats a degradation for the same reason'];
    lastKinds = kinds;
    if (since === undefined) {
      const patience = Math.max(3 * source.interval, 5 * MINUTE);
      // Polls are expected from the last slot taken, which may be one that was already tried before.
      const slack = 2 * source.interval + LATEST_SLOT;
      // A tick that froze saves a first state with the time of its start.
      const isFirst = wellFrom === source.startedAt;
      const isEarly = at - wellFrom < patience - slack - (isFirst ? evidence.timing.longestFreeze : 0);
      // A source with a new generation may have been behind before. And a source may recover before its walks have
      // continued after a hold.
      const isNew = (code: string) => BEHIND.has(code) && (isFirst || code !== 'stalled');
      if (isEarly && source.isOnly && codes.some(isNew))
        yield [event.id, `reports the source behind ${at - wellFrom} microseconds after it was well`];
    }
    // What a copy that lagged showed first is made up for by walks.
    const mayMiss = evidence.mayMissChanges || evidence.timing.lag > 0;
    if (!mayMiss && codes.includes('polls_miss_changes'))
      yield [event.id, 'reports that polls miss changes, and every change shows within the lookback'];
    if (!evidence.mayDegrade)
      yield [event.id, `reports the source as ${codes.join(', ')}, which has no cause in this run`];
    since ??= object.since;
  }
}

const LATEST_SLOT = 2 * MINUTE;

/** Reasons that are reported after three polls or five minutes. */
const BEHIND = new Set(['behind', 'unstable', 'failing', 'stalled']);
/** Reasons that may be reported again. */
const MAY_GROW = new Set(['held', 'unreadable']);

/** Whether `at` is within an outage. Answers from just before its start may still be reported. */
function isOut({ outages, timing }: Evidence, at: Time): boolean {
  return outages.some(
    ({ from, to, hasKeptToken }) => !hasKeptToken && at > from + timing.slowestAnswer + 2 * MINUTE && at < to,
  );
}

/** Statuses that the service's document lists. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  return_line_item: ['IN_REVIEW', 'OPEN', 'COMPLETED', 'CANCELED'],
  shipment: ['DRAFT', 'CREATED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'CANCELED', 'UNKNOWN'],
  exchange_line_item: ['UNPROCESSED', 'PROCESSED', 'CANCELED'],
};

function* unlistedIn(document: GroupDocument): Generator<string> {
  for (const name of entitiesOf(document).keys()) {
    const kind = name.slice(0, name.indexOf('/'));
    const [status] = JSON.parse(entitiesOf(document).get(name) ?? '[]') as unknown[];
    if (LISTED[kind]?.includes(String(status)) === false) yield `${kind}.status=${String(status)}`;
  }
}

/** Checks that each finding is new, that unlisted statuses were sent, and that each of these is found. */
function* judgeDrift(
  { everUnreadable, failing }: Evidence,
  source: SourceEvidence,
  histories: Histories,
): Generator<Problem> {
  const sent = new Set<string>();
  for (const { documents } of histories.values())
    for (const { document } of documents) for (const it of document ? unlistedIn(document) : []) sent.add(it);
  const found = new Set<string>();
  for (const { event } of ofType(source, 'feed.drift_detected')) {
    const { findings } = event.data.object;
    if (findings.length === 0) yield [event.id, 'reports no findings'];
    for (const finding of findings) {
      if (found.has(finding)) yield [event.id, `reports ${finding} again`];
      if (finding.includes('.status=') && !sent.has(finding))
        yield [event.id, `reports ${finding}, which the service never sent`];
      found.add(finding);
    }
  }
  if (!source.isOnly || !source.isAtRest || found.size >= MOST_FOUND) return;
  // A tick that did not complete loses its findings. A later tick finds them again if they still exist.
  for (const [groupId, { documents }] of histories) {
    // A row that fails does not show its present state.
    const isHidden = everUnreadable.has(groupId) || failing.has(groupId);
    const present = isHidden ? undefined : documents.at(-1)?.document;
    for (const value of present === undefined ? [] : unlistedIn(present)) {
      if (found.has(value)) continue;
      found.add(value);
      yield [`group ${groupId}`, `has the unlisted ${value}, which was not reported`];
    }
  }
}

const MOST_FOUND = 200;

/** Checks that events are skipped only if an operator skips or forgets them. */
function* judgeSkips(source: SourceEvidence): Generator<Problem> {
  if (source.mayBeSkipped) return;
  for (const { event } of ofType(source, 'feed.events_skipped')) {
    yield [event.id, 'reports skipped events, though nobody skipped any'];
  }
}
