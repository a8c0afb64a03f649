// Formats a source's status as text. The verdict and what needs action come first.
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { formatCommand, formatEntry } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { wrapWords } from '../cli/wrap.ts';
import { formatDestination } from './format-destination.ts';
import { formatHold } from './format-hold.ts';
import { headlineOf } from './format-verdict.ts';
import type { FeedVerdict } from './judge-feed.ts';
import type { Verdict } from './judge-source.ts';
import type { LaneStatus, SourceStatus } from './source-status.ts';

export interface StatusPage {
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
    ...sources.flatMap((each) => [...formatStatus(each, moments, layout), '']),
    ...(destinations.length === 0 ? [] : [...destinations, '']),
    ...(console === null
      ? []
      : wrapWords(`console: ${console} (another browser: press c and Enter where it runs)`, width)),
    `times in ${moments.zone}`,
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
  if (status.lastFailure !== null && status.verdict !== 'failing' && status.verdict !== 'removed')
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

/** Each poll reads the time of the lookback again, so a source that is well is that far behind. */
function readUpTo({ readUpTo: upTo, lookbackMs }: SourceStatus, moments: Moments): string {
  if (upTo === null || lookbackMs === null) return 'not yet';
  return `${moments.full(upTo)}; each poll reads the last ${formatDuration(lookbackMs)} again`;
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
  const most = isRarer ? `every ${formatDuration(intervalMs)}, complete ` : '';
  // Walks begin earlier where they are cheap.
  const least = lane === 'late' ? '' : 'at least ';
  const every = everyMs === null ? [] : [`${most}${least}every ${formatDuration(everyMs)}`];
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
