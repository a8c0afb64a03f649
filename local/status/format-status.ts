// Formats a feed's status as text: the verdict in one line, the sources, the destinations. What needs action
// comes first. The console has its verdict and its sentences from here.

import { describeCondition, describeExamples } from '../../shared/guarding/describe-hold.ts';
import type { Hold } from '../../shared/guarding/hold.ts';
import { failsInARow } from '../../shared/webhooks/endpoint-state.ts';
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { formatCommand, formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { wrapWords } from '../cli/wrap.ts';
import {
  type BehindReturn,
  type DestinationState,
  type DestinationStatus,
  nounOf,
} from './destination-status.ts';
import { adoptConditionOf, type Concern, type FeedVerdict } from './judge-feed.ts';
import {
  type HoldStatus,
  type LaneStatus,
  type SourceStatus,
  type Verdict,
  WORST_FIRST,
} from './source-status.ts';

interface StatusPage {
  readonly verdict: FeedVerdict;
  readonly sources: readonly SourceStatus[];
  /** The address of a console that runs on this feed, without its token. */
  readonly console: string | null;
}

/** The whole page: the verdict, the sources, what gets their events. */
export function formatStatusPage(
  { verdict, sources, console }: StatusPage,
  moments: Moments,
  layout: Layout,
): string[] {
  const { colors, width } = layout;
  const paint = { well: colors.green, attention: colors.red, new: colors.yellow }[verdict.verdict];
  const destinations = verdict.destinations.flatMap((each) => formatDestination(each, moments, layout));
  return [
    ...wrapWords(printable(headlineOf(verdict, moments)), width).map((line) => colors.bold(paint(line))),
    '',
    ...formatSources(sources, moments, layout),
    ...(destinations.length === 0 ? [] : [...destinations, '']),
    ...(console === null
      ? []
      : wrapWords(`console: ${console} (another browser: press c and Enter where it runs)`, width)),
    `times in ${moments.zone}`,
  ];
}

/** More sources are shown by a line each. */
const MOST_IN_FULL = 10;
const MOST_LINES = 20;

function formatSources(sources: readonly SourceStatus[], moments: Moments, layout: Layout): string[] {
  if (sources.length <= MOST_IN_FULL)
    return sources.flatMap((each) => [...formatStatus(each, moments, layout), '']);
  const rank = ({ verdict }: SourceStatus) => WORST_FIRST.indexOf(verdict);
  const shown = sources.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_LINES);
  const totals = WORST_FIRST.flatMap((verdict) => {
    const { length } = sources.filter((each) => each.verdict === verdict);
    return length === 0 ? [] : [`${formatCount(length)} ${verdict}`];
  });
  const rest = sources.length - shown.length;
  return [
    ...wrapWords(`${counted(sources.length, 'source')}: ${totals.join(', ')}`, layout.width),
    ...shown.flatMap((each) => headline(each, moments, layout)),
    ...(rest === 0 ? [] : [`and ${formatCount(rest)} more`]),
    ...wrapWords(
      '--source NAME shows one in full, --json all; "sources list" pages through them',
      layout.width,
    ),
    '',
  ];
}

/** `--json` prints all of them. */
const SET_ASIDE_SHOWN = 3;

export function formatStatus(status: SourceStatus, moments: Moments, layout: Layout): string[] {
  const lines = headline(status, moments, layout);
  const add = (label: string, ...texts: readonly string[]) =>
    lines.push(...formatEntry(label, texts, layout.width));
  for (const hold of status.held) lines.push(...formatHold(hold, moments, layout));
  for (const { code, message } of furtherReasons(status)) add(code, message);
  if (status.lastFailure !== null && !['failing', 'paused', 'removed'].includes(status.verdict))
    add('last error', lastError(status.lastFailure, moments));
  if (status.degradedSince !== null) add('degraded', `since ${moments.withAge(status.degradedSince)}`);
  if (status.restsUntil !== null)
    add('resting', `until ${moments.full(status.restsUntil)}, after the token was refused`);
  for (const { text, command } of status.nextSteps) {
    add('next', text);
    if (command !== null) lines.push(...formatCommand(command, layout.width));
  }
  if (status.verdict !== 'well') add('polled', polled(status, moments));
  add('walked', walked(status, moments));
  add('last tick', lastTick(status, moments));
  add('baseline', baseline(status));
  for (const lane of status.lanes) add(laneName(lane), laneText(lane, status, moments));
  add('read up to', readUpTo(status, moments));
  if (status.places.length > 0) add('left out', ...places(status, moments));
  if (status.setAside.length > 0) add('set aside', ...setAside(status, moments));
  add('service', service(status));
  return lines;
}

function laneName({ lane, isWhole }: LaneStatus): string {
  return isWhole ? 'all groups' : { late: 'polls', recent: 'recent', older: 'older' }[lane];
}

/** For instance `acme  failing: the service answered with status 503, since 14:02:11 (12 polls)`. */
function headline(status: SourceStatus, moments: Moments, { width, colors }: Layout): string[] {
  const paint = {
    well: colors.green,
    failing: colors.red,
    stopped: colors.red,
    held: colors.yellow,
    paused: colors.dim,
    removed: colors.dim,
  }[status.verdict];
  const about = summaryOf(status, moments);
  const [first = '', ...others] = wrapWords(
    printable(`${status.source}  ${status.verdict}${about === '' ? '' : `: ${about}`}`),
    width,
  );
  const painted = first.replace(/(?<= {2})\w+/, (verdict) => colors.bold(paint(verdict)));
  return [painted, ...others.map((line) => `  ${line}`)];
}

function summaryOf(status: SourceStatus, moments: Moments): string {
  const { verdict, held, reasons, lastFailure, lastTickAt } = status;
  const first = reasons[0]?.message ?? '';
  const waiting = held.filter(({ phase }) => phase === 'holding').length;
  const summaries: Readonly<Record<Verdict, () => string>> = {
    well: () =>
      status.baseline.status === 'running'
        ? 'the baseline is under way'
        : `polled ${polled(status, moments)}`,
    held: () => (waiting === 1 ? 'one decision is up to you' : `${waiting} decisions are up to you`),
    stopped: () =>
      withoutStop(first) + (lastTickAt === null ? '' : `, last tick ${moments.withAge(lastTickAt)}`),
    paused: () => 'operators have stopped its polls',
    removed: () => 'its state is kept',
    failing: () => (lastFailure === null ? withoutStop(first) : lastError(lastFailure, moments)),
  };
  return summaries[verdict]();
}

function lastError(
  { message, since, ticks }: NonNullable<SourceStatus['lastFailure']>,
  moments: Moments,
): string {
  return `${withoutStop(message)}, since ${moments.short(since)} (${counted(ticks, 'poll')})`;
}

/** Those that the headline does not have. */
function furtherReasons({ reasons, verdict, lastFailure }: SourceStatus): SourceStatus['reasons'] {
  const isInHeadline = verdict === 'stopped' || (verdict === 'failing' && lastFailure === null);
  return reasons.slice(isInHeadline ? 1 : 0).filter(
    // Unreadable groups have an entry of their own below, with more detail.
    ({ code, message }) => code !== 'unreadable' && message !== lastFailure?.message,
  );
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

function polled({ polledAt }: SourceStatus, moments: Moments): string {
  return polledAt === null ? 'no poll is complete yet' : `${moments.age(polledAt)} ago, complete`;
}

/** A change may show late, by as much as the lookback, so a source that is well is that far behind. */
function readUpTo({ readUpTo: upTo, lookbackMs }: SourceStatus, moments: Moments): string {
  if (upTo === null || lookbackMs === null) return 'not yet';
  return `${moments.full(upTo)} for certain: a change may show up to ${formatDuration(lookbackMs)} late`;
}

function walked({ walkedAt }: SourceStatus, moments: Moments): string {
  return walkedAt === null ? 'not yet: no walk over all groups is complete' : moments.withAge(walkedAt);
}

function lastTick({ lastTickAt, polledBy }: SourceStatus, moments: Moments): string {
  const by = polledBy === null ? '' : `, by process ${polledBy}`;
  return lastTickAt === null ? 'none yet' : `${moments.withAge(lastTickAt)}${by}`;
}

function baseline({ baseline: { status, mode, groups } }: SourceStatus): string {
  const events = mode === 'silent' ? 'without events' : 'with an event for each';
  return `${status === 'running' ? 'under way' : 'complete'}: ${counted(groups, 'group')}, ${events}`;
}

function laneText(
  { lane, everyMs, startedAt, endedAt, nextAt, underWay }: LaneStatus,
  { intervalMs }: SourceStatus,
  moments: Moments,
): string {
  const isRarer = lane === 'late' && everyMs !== null && intervalMs !== null && intervalMs < everyMs;
  const newest = isRarer ? `every ${formatDuration(intervalMs)} what is new, completely ` : '';
  // Walks begin earlier where they are cheap.
  const least = lane === 'late' ? '' : 'at least ';
  const every = everyMs === null ? [] : [`${newest}${least}every ${formatDuration(everyMs)}`];
  const last =
    startedAt === null || endedAt === null
      ? 'none completed yet'
      : `last completed ${moments.withAge(endedAt)}, in ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  const present =
    underWay === null
      ? `next at ${moments.short(nextAt ?? '')}`
      : `under way for ${moments.age(underWay.since)}: ${counted(underWay.requests, 'request')}, ` +
        `${counted(underWay.groups, 'group')}, ${counted(underWay.waitingRanges, 'range')} left`;
  return [...every, last, present].join('; ');
}

function places({ places: known }: SourceStatus, moments: Moments): string[] {
  const lines = known
    .slice(0, SET_ASIDE_SHOWN)
    .map(
      ({ axis, from, to, until, reason }) =>
        `returns ${axis} from ${moments.full(from)} to ${moments.full(to)}, until ${moments.short(until)}: ${reason}`,
    );
  const more = known.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${formatCount(more)} more: see --json`] : [])];
}

function setAside({ setAside: groups }: SourceStatus, moments: Moments): string[] {
  const shown = groups.slice(0, SET_ASIDE_SHOWN).map(({ returnGroupId, reason, since }) => {
    const name = returnGroupId === null ? 'a row without an id' : String(returnGroupId);
    return `${name}: ${reason}, since ${moments.full(since)}`;
  });
  const more = groups.length - shown.length;
  return [
    counted(groups.length, 'return'),
    ...shown,
    ...(more > 0 ? [`and ${formatCount(more)} more: see --json`] : []),
  ];
}

function service({ service: known }: SourceStatus): string {
  const { pageLimit, longestPage, stampsHaveZone, stampsPrecision } = known;
  const asked = `${counted(pageLimit, 'row')} asked for`;
  const pages =
    longestPage === null ? `pages: ${asked}` : `pages of up to ${counted(longestPage, 'row')} (${asked})`;
  const zone = stampsHaveZone ? 'with a zone' : 'without a zone';
  const digits = stampsPrecision === 0 ? 'whole seconds' : `${stampsPrecision} digits of a second`;
  return `${pages}; stamps ${zone}, ${digits}`;
}

/** For instance `All well: last complete poll 3 s ago, 0 waiting`. */
export function headlineOf(verdict: FeedVerdict, moments: Moments): string {
  const { concerns, unknown, baseline, polledAt, waiting, isMoreWaiting, destinations } = verdict;
  const [worst, ...others] = concerns;
  if (worst !== undefined) {
    const more = others.length === 0 ? '' : ` (And ${others.length} more.)`;
    return `${sentenceOf(worst, moments)}${more} ${adviceOf(worst)}`;
  }
  if (verdict.verdict === 'new')
    return 'No source has been polled yet: "watch" polls at once, a new stack within two minutes. If not, read its log.';
  const failing = destinations.find(isTryingAgain);
  const known =
    failing !== undefined
      ? waitingSentence(failing, moments)
      : unknown.length === 0
        ? 'All well'
        : 'Well as far as is known';
  const read =
    baseline !== null
      ? `the first reading is under way, ${counted(baseline, 'return')} so far`
      : polledAt === null
        ? 'no complete poll yet'
        : `last complete poll ${moments.age(polledAt)} ago`;
  const more = isMoreWaiting ? ' or more' : '';
  return `${known}${failing === undefined ? ':' : ','} ${read}, ${waiting.toLocaleString('en')}${more} waiting`;
}

/** Whether it fails, and not for so long that it needs an operator. */
function isTryingAgain({ failures, needsAttention }: DestinationStatus): boolean {
  return failsInARow({ failures }) && !needsAttention;
}

function waitingSentence(
  { title, failures, failingSince, lastFailure }: DestinationStatus,
  moments: Moments,
) {
  const since = failingSince === null ? '' : ` since ${moments.short(failingSince)}`;
  return `${title}: no event accepted${since} (${lastFailure}, ${failures} times in a row)`;
}

/** For instance `http://127.0.0.1:3000/hook fails since 15:20:07: ECONNREFUSED, nothing listens there.`. */
export function sentenceOf({ subject, is, since, message }: Concern, moments: Moments): string {
  return `${subject} ${is}${since === null ? '' : ` since ${moments.short(since)}`}: ${message}`;
}

/** The first thing to do. A command stands at the end, to be copied. */
function adviceOf({ nextSteps: [first] }: Concern): string {
  if (first === undefined) return '';
  return first.command === null ? first.text : `${first.text} ${first.command}`;
}

/** A concern as JSON, without what the sources and destinations beside it have. */
export function concernJson({ kind, subject, is, since, message, meanwhile, nextSteps }: Concern) {
  return { code: kind, subject, is, since, message, meanwhile: meanwhile ?? null, nextSteps };
}

/** Describes a hold: its count, its start, samples, and the commands that end it. */
export function formatHold(hold: HoldStatus, moments: Moments, { width }: Layout): string[] {
  const { number, since, message, consequence, release, adopt } = hold;
  const examples = describeExamples(hold).map((each, at) => (at === 0 ? `For instance ${each}` : each));
  const texts = [message, ...examples, `Since ${moments.withAge(since)}. ${consequence}`];
  const way = (text: string, command: string | null) =>
    command === null ? [] : [...formatEntry('', [text], width), ...formatCommand(command, width)];
  return [
    ...formatEntry(`hold ${number}`, texts, width),
    ...way(`${describeCondition(hold)}, publish it:`, release),
    ...way(adoptConditionOf(hold), adopt),
  ];
}

/** For instance `184467: shipment/77120 status IN_TRANSIT → DELIVERED`, and how many more there are. */
export function sampleLines({ samples, count }: Pick<Hold, 'samples' | 'count'>): string[] {
  const lines = samples.map(({ groupId, what, before, after }) => `${groupId}: ${what} ${before} → ${after}`);
  const more = count - samples.length;
  return samples.length > 0 && more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}

const GOOD: ReadonlySet<DestinationState> = new Set(['all sent', 'all read']);

/** Describes how far a destination is, in one line if it fits. */
export function formatDestination(
  destination: DestinationStatus,
  moments: Moments,
  { width, colors }: Layout,
): string[] {
  const { title, state, needsAttention } = destination;
  const paint = needsAttention ? colors.red : GOOD.has(state) ? colors.green : (text: string) => text;
  const start = printable(`${title}  ${state}`);
  const text = [start, ...detailsOf(destination, moments)].join('; ');
  const [first = '', ...others] = wrapWords(printable(text), width - 2);
  const painted = first.startsWith(start)
    ? `${printable(title)}  ${colors.bold(paint(state))}${first.slice(start.length)}`
    : first;
  return [painted, ...others.map((line) => `  ${line}`)];
}

/** A webhook as `webhooks list` shows it: with what it gets. */
export function formatWebhook(webhook: DestinationStatus, moments: Moments, layout: Layout): string[] {
  return [
    ...formatDestination(webhook, moments, layout),
    ...formatEntry('gets', [filterInWords(webhook)], layout.width),
  ];
}

/** For instance `shipment; to DELIVERED or LOST`, or `whole returns, at all changes`. */
export function filterInWords({ filter, shape }: DestinationStatus): string {
  const { sources, entities, types, to, from, changed, hasTracking } = filter ?? {};
  const conditions = [
    ...(sources ? [`of ${sources.join(' or ')}`] : []),
    ...(entities ? [entities.join(' or ')] : []),
    ...(types ? [types.join(' or ')] : []),
    ...(from ? [`from ${from.join(' or ')}`] : []),
    ...(to ? [`to ${to.join(' or ')}`] : []),
    ...(changed ? [`changed ${changed.join(' or ')}`] : []),
  ];
  const changes = conditions.length === 0 ? 'all changes' : conditions.join('; ');
  return shape === 'return'
    ? `whole returns${hasTracking ? ' with a tracking number' : ''}, at ${changes}`
    : changes;
}

export function detailsOf(destination: DestinationStatus, moments: Moments): string[] {
  const { kind, shape, oldestMs, behind, isCut, lastAcceptedAt, failures, failingSince, delayedUntil } =
    destination;
  const noun = nounOf(destination);
  const isReceiver = kind === 'webhook' || kind === 'forwarded';
  return [
    ...(shape === 'return' ? ['whole returns'] : []),
    ...waitingOf(destination, noun),
    ...(oldestMs === null || isReceiver ? [] : [`the oldest for ${formatDuration(oldestMs)}`]),
    ...(behind === null || behind === 0
      ? []
      : [`${isCut ? 'more than ' : ''}${counted(behind, noun)} not accepted${named(destination, moments)}`]),
    ...(isReceiver
      ? [`last accepted ${lastAcceptedAt === null ? 'never' : moments.withAge(lastAcceptedAt)}`]
      : []),
    ...(delayedUntil === null ? [] : [`asked for a pause until ${moments.short(delayedUntil)}`]),
    ...(kind === 'reader' ? askedOf(destination, moments) : []),
    ...(failures > 0 && failingSince !== null
      ? [
          `${destination.lastFailure ?? 'failed'}, ${failures === 1 ? 'once' : `${failures} times in a row`}, ` +
            `since ${moments.short(failingSince)}`,
        ]
      : []),
  ];
}

function askedOf({ lastAskedAt, lastFailure }: DestinationStatus, moments: Moments): string[] {
  const asked = lastAskedAt === null ? 'never asked' : `last asked ${moments.withAge(lastAskedAt)}`;
  return [...(lastFailure === null ? [] : [lastFailure]), asked];
}

/** For instance `173 returns (402 events) waiting` or `50 or more returns waiting`. */
function waitingOf({ waiting, waitingEvents, isMoreWaiting }: DestinationStatus, noun: string): string[] {
  if (waiting === null) return [];
  const count = isMoreWaiting ? `${formatCount(waiting)} or more ${noun}s` : counted(waiting, noun);
  const isMoreSaid = noun === 'return' && waiting > 0 && waitingEvents !== null;
  return [`${count}${isMoreSaid ? ` (${counted(waitingEvents, 'event')})` : ''} waiting`];
}

/** `--json` prints all of them. */
const NAMED = 3;

/** For instance `: acme 184467 at event 2 since 10:10:30`. */
function named({ returns }: DestinationStatus, moments: Moments): string {
  if (returns.length === 0) return '';
  const more = returns.length > NAMED ? ` and ${returns.length - NAMED} more` : '';
  return `: ${returns
    .slice(0, NAMED)
    .map((each) => nameOf(each, moments))
    .join(', ')}${more}`;
}

function nameOf({ source, group, event, since }: BehindReturn, moments: Moments): string {
  const age = since === null ? '' : ` since ${moments.short(since)}`;
  return `${source} ${group} at event ${event}${age}`;
}
