// Formats a source's status as text, at most 80 columns wide. Entries that need action come first.
import { formatDuration } from '../cli/durations.ts';
import { formatEntry } from '../cli/entries.ts';
import { ago, moment, shortMoment } from '../cli/moments.ts';
import type { CycleStatus, HoldStatus, SourceStatus } from './source-status.ts';

/** As in format-progress.ts. */
const SMALLEST_ESTIMATE = 1_000;
/** `--json` prints all of them. */
const SET_ASIDE_SHOWN = 3;

/** @param now milliseconds since the epoch */
export function formatStatus(status: SourceStatus, now: number): string[] {
  const lines = [`${status.source}  ${summaryOf(status)}`];
  const add = (label: string, ...texts: readonly string[]) => lines.push(...formatEntry(label, texts));
  for (const hold of status.held) lines.push(...formatHold(hold));
  // Unreadable groups have an entry of their own below, with more detail.
  for (const { code, message } of status.reasons) if (code !== 'unreadable') add(code, message);
  if (status.degradedSince !== null) add('degraded', `since ${moment(status.degradedSince, now)}`);
  if (status.restsUntil !== null)
    add('resting', `until ${shortMoment(status.restsUntil)}, after the token was refused`);
  add('settled', settled(status));
  add('last tick', status.lastTickAt === null ? 'none yet' : moment(status.lastTickAt, now));
  add('baseline', baseline(status));
  for (const cycle of status.reconciliation) add(TIER_NAMES[cycle.tier], cycleText(cycle, now));
  if (status.setAside.length > 0) add('set aside', ...setAside(status));
  add('service', service(status));
  return lines;
}

const TIER_NAMES = { recent: 'recent', open: 'older, open', all: 'all groups' } as const;

function summaryOf({ held, isHealthy, baseline: { status } }: SourceStatus): string {
  if (held.length > 0) return 'held';
  if (!isHealthy) return 'not completely read';
  return status === 'running' ? 'well, baseline under way' : 'well';
}

/** The command has a line of its own, so that it can be copied. */
function formatHold({ number, since, message, consequence, command }: HoldStatus): string[] {
  return [
    ...formatEntry(`held: ${number}`, [
      `${message} ${consequence} Since ${shortMoment(since)}. If this is right:`,
    ]),
    `  ${command}`,
  ];
}

function settled({ settledThrough, behindMs, lookbackMs }: SourceStatus): string {
  const behind = behindMs === null ? 'no stamp seen yet' : `${formatDuration(behindMs)} behind`;
  const usual = lookbackMs === null ? '' : `; the lookback is ${formatDuration(lookbackMs)}`;
  return `through ${shortMoment(settledThrough)} (${behind}${usual})`;
}

function baseline({
  baseline: { status, mode, groups, estimatedGroups, coveredThrough },
}: SourceStatus): string {
  // Estimates this low say only that there are not more groups than that.
  const isEstimated = estimatedGroups !== null && estimatedGroups > Math.max(SMALLEST_ESTIMATE, groups);
  const of = isEstimated && status === 'running' ? ` of about ${count(estimatedGroups)}` : '';
  const through =
    status === 'running' && coveredThrough !== null ? `, through ${shortMoment(coveredThrough)}` : '';
  return `${status === 'running' ? 'under way' : 'complete'}, ${mode}: ${count(groups)}${of} groups${through}`;
}

function cycleText(
  { plannedMs, requests, isUnderWay, startedAt, ...cycle }: CycleStatus,
  now: number,
): string {
  const length = plannedMs === null ? 'interval not known yet' : `every ${formatDuration(plannedMs)}`;
  const takes = requests === null ? '' : ` (${count(requests)} requests)`;
  const last =
    cycle.lastCompletedAt === null
      ? 'none completed yet'
      : `last completed ${moment(cycle.lastCompletedAt, now)}`;
  const covered = cycle.coveredThrough === null ? '' : `, through ${shortMoment(cycle.coveredThrough)}`;
  const present = isUnderWay ? `; under way since ${ago(startedAt, now)}${covered}` : '';
  return `${length}${takes}; ${last}${present}`;
}

function setAside({ setAside: groups }: SourceStatus): string[] {
  const shown = groups.slice(0, SET_ASIDE_SHOWN).map(({ returnGroupId, reason, since }) => {
    const name = returnGroupId === null ? 'a row without an id' : String(returnGroupId);
    return `${name}: ${reason}, since ${shortMoment(since)}`;
  });
  const more = groups.length - shown.length;
  return [
    `${count(groups.length)} that can't be read`,
    ...shown,
    ...(more > 0 ? [`and ${count(more)} more: see --json`] : []),
  ];
}

function service({
  service: { pageLimit, stampsHaveZone, stampsPrecision, stampsLeadMs },
}: SourceStatus): string {
  const zone = stampsHaveZone ? 'with a zone' : 'without a zone';
  const lead = stampsLeadMs === 0 ? '' : `, ${formatDuration(stampsLeadMs)} ahead of its Date`;
  const digits = stampsPrecision === 0 ? 'whole seconds' : `${stampsPrecision} digits of a second`;
  return `pages of up to ${count(pageLimit)} rows; stamps ${zone}, ${digits}${lead}`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
