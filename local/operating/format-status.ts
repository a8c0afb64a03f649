// Formats a source's status as text. The verdict and what needs action come first.
import { counted, formatCount } from '../cli/counts.ts';
import { formatDuration } from '../cli/durations.ts';
import { formatCommand, formatEntry, wrapWords } from '../cli/entries.ts';
import type { Layout } from '../cli/layout.ts';
import type { Moments } from '../cli/moments.ts';
import { printable } from '../cli/printable.ts';
import { SMALLEST_ESTIMATE } from '../feed/format-progress.ts';
import { formatHold } from './format-hold.ts';
import type { Verdict } from './judge-source.ts';
import type { CycleStatus, SourceStatus } from './source-status.ts';

/** `--json` prints all of them. */
const SET_ASIDE_SHOWN = 3;
/** A source is late if it is behind by more than its lookback plus this. */
const USUAL_DELAY_MS = 5 * 60_000;

export function formatStatus(status: SourceStatus, moments: Moments, layout: Layout): string[] {
  const lines = headline(status, moments, layout);
  const add = (label: string, ...texts: readonly string[]) =>
    lines.push(...formatEntry(label, texts, layout.width));
  for (const hold of status.held) lines.push(...formatHold(hold, moments, layout));
  for (const { code, message } of furtherReasons(status)) add(code, message);
  if (status.lastFailure !== null && status.verdict !== 'failing')
    add('last error', lastError(status.lastFailure, moments));
  if (status.degradedSince !== null) add('degraded', `since ${moments.withAge(status.degradedSince)}`);
  if (status.restsUntil !== null)
    add('resting', `until ${moments.full(status.restsUntil)}, after the token was refused`);
  for (const { text, command } of status.nextSteps) {
    add('next', text);
    if (command !== null) lines.push(...formatCommand(command, layout.width));
  }
  add('read up to', readUpTo(status, moments));
  add('reconciled', reconciledThrough(status, moments));
  add('last tick', lastTick(status, moments));
  add('baseline', baseline(status, moments));
  for (const cycle of status.reconciliation) add(TIER_NAMES[cycle.tier], cycleText(cycle, moments));
  if (status.setAside.length > 0) add('set aside', ...setAside(status, moments));
  add('service', service(status));
  return lines;
}

const TIER_NAMES = { recent: 'recent', open: 'older, open', all: 'all groups' } as const;

/** For instance `acme  failing: the service answered with status 503, since 14:02:11 (12 polls)`. */
function headline(status: SourceStatus, moments: Moments, { width, colors }: Layout): string[] {
  const paint = {
    well: colors.green,
    failing: colors.red,
    stopped: colors.red,
    held: colors.yellow,
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
  const summaries: Readonly<Record<Verdict, () => string>> = {
    well: () => (status.baseline.status === 'running' ? 'the baseline is under way' : ''),
    held: () => (held.length === 1 ? 'one decision is up to you' : `${held.length} decisions are up to you`),
    stopped: () =>
      withoutStop(first) + (lastTickAt === null ? '' : `, last tick ${moments.withAge(lastTickAt)}`),
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

/**
 * Each poll reads the time of the lookback again, so a source that is well is that far behind. A hold keeps it back.
 */
function readUpTo(status: SourceStatus, moments: Moments): string {
  const { readUpTo: upTo, settledThrough, behindMs, lookbackMs } = status;
  if (upTo === null) return 'not yet: the baseline comes first';
  if (behindMs === null) return `${moments.full(upTo)}; the service has shown no timestamp yet`;
  const isUsual = upTo === settledThrough && lookbackMs !== null && behindMs <= lookbackMs + USUAL_DELAY_MS;
  if (!isUsual) return moments.withAge(upTo);
  return `${moments.full(upTo)}; each poll reads the last ${formatDuration(lookbackMs)} again`;
}

function reconciledThrough({ reconciledThrough: through }: SourceStatus, moments: Moments): string {
  return through === null
    ? 'not yet: no walk over all groups is complete'
    : `through ${moments.withAge(through)}`;
}

function lastTick({ lastTickAt, polledBy }: SourceStatus, moments: Moments): string {
  const by = polledBy === null ? '' : `, by process ${polledBy}`;
  return lastTickAt === null ? 'none yet' : `${moments.withAge(lastTickAt)}${by}`;
}

function baseline({ baseline: known }: SourceStatus, moments: Moments): string {
  const { status, mode, groups, estimatedGroups, coveredThrough } = known;
  // Estimates this low say only that there are not more groups than that.
  const isEstimated = estimatedGroups !== null && estimatedGroups > Math.max(SMALLEST_ESTIMATE, groups);
  const of = isEstimated && status === 'running' ? ` of about ${formatCount(estimatedGroups)}` : '';
  const through =
    status === 'running' && coveredThrough !== null ? `, through ${moments.full(coveredThrough)}` : '';
  const events = mode === 'silent' ? 'without events' : 'with an event for each';
  return `${status === 'running' ? 'under way' : 'complete'}: ${formatCount(groups)}${of} groups, ${events}${through}`;
}

function cycleText(
  { plannedMs, reachedMs, requests, isUnderWay, startedAt, ...cycle }: CycleStatus,
  moments: Moments,
): string {
  const length = plannedMs === null ? 'interval not known yet' : `every ${formatDuration(plannedMs)}`;
  const isLonger = reachedMs !== null && plannedMs !== null && reachedMs > LONGER_TIMES * plannedMs;
  const reached = isLonger ? `, the last one after ${formatDuration(reachedMs)}` : '';
  const takes = requests === null ? '' : ` (${formatCount(requests)} requests)`;
  const last =
    cycle.lastCompletedAt === null
      ? 'none completed yet'
      : `last completed ${moments.withAge(cycle.lastCompletedAt)}`;
  const covered = cycle.coveredThrough === null ? '' : `, through ${moments.full(cycle.coveredThrough)}`;
  const present = isUnderWay ? `; under way for ${moments.age(startedAt)}${covered}` : '';
  return `${length}${reached}${takes}; ${last}${present}`;
}

/** A cycle that begins this many times later than planned is worth a word: polls left it too few requests. */
const LONGER_TIMES = 1.5;

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
  const { stampsHaveZone, stampsPrecision, stampsLeadMs } = known;
  const zone = stampsHaveZone ? 'with a zone' : 'without a zone';
  const lead = stampsLeadMs === 0 ? '' : `, ${formatDuration(stampsLeadMs)} ahead of its Date`;
  const digits = stampsPrecision === 0 ? 'whole seconds' : `${stampsPrecision} digits of a second`;
  return `${pages(known)}; stamps ${zone}, ${digits}${lead}`;
}

/** A service may give fewer rows than are asked for, and a small store has no full page. */
function pages({ pageLimit, longestPage }: SourceStatus['service']): string {
  const asked = `${counted(pageLimit, 'row')} asked for`;
  return longestPage === 0 ? `pages: ${asked}` : `pages of up to ${counted(longestPage, 'row')} (${asked})`;
}
