// Compares the whole ledger with a destination's marks and sends the unsent events. So events are sent even if their
// stream records are lost, for example after an outage longer than the stream's 24 hours. Without an operator's command
// only the sweep skips numbers that are missing from the ledger, most likely because they expired. A gap may also be
// half of a transaction, so it must look the same much later: that needs neither an accurate clock nor the age of
// missing events.

import { type Instant, MILLISECOND } from '../instant.ts';
import { GAP_IS_LOST_AFTER_MS, MAX_GAPS_PER_GROUP, SWEEP_GAPS, SWEEP_GROUPS } from '../limits.ts';
import type { GroupKey } from '../ports.ts';
import { formatGroupKey } from '../recording/group-key.ts';
import type { Outcome, SequenceRange } from './lane.ts';
import type { Relay } from './relay.ts';
import { type StepOverPorts, stepOver } from './step-over.ts';

/** Counts of groups, unless stated otherwise. */
export interface SweepReport {
  /** Named by the ledger: all of them, or those with unsent events. */
  groups: number;
  /** With unsent events when the sweep reached them. */
  unsent: number;
  /** The outcomes of these. */
  done: number;
  waiting: number;
  behind: number;
  failed: number;
  /** Gaps stepped over. */
  skipped: number;
  /** Whether the sweep reached the ledger's end in its time. */
  complete: boolean;
}

interface Gap {
  readonly key: GroupKey;
  readonly missing: SequenceRange;
}

/**
 * Sweeps the ledger for one destination.
 *
 * @param timeLeftMs the next sweep, which starts over, does what is not done by then
 * @param since the destination lacks no event that was saved before, but of groups that have a mark
 * @throws if the ledger or the marks can't be read
 */
export async function sweepLedger(
  ports: StepOverPorts,
  relay: Relay,
  timeLeftMs: number,
  since?: Instant,
): Promise<SweepReport> {
  const { clock, log, destination } = ports;
  const stopAt = clock.elapsed() + timeLeftMs * MILLISECOND;
  const leftMs = () => (stopAt - clock.elapsed()) / MILLISECOND;
  const report: SweepReport = {
    groups: 0,
    unsent: 0,
    done: 0,
    waiting: 0,
    behind: 0,
    failed: 0,
    skipped: 0,
    complete: true,
  };

  const gaps: Gap[] = [];
  for await (const unsent of unsentGroups(ports, report, since)) {
    report.unsent += unsent.length;
    gaps.push(...(await sendAll(relay, unsent, leftMs(), report)));
    if (leftMs() > 0) continue;
    report.complete = false;
    break;
  }
  report.waiting += Math.max(0, gaps.length - SWEEP_GAPS);
  await closeGaps(ports, relay, gaps.slice(0, SWEEP_GAPS), leftMs, report);

  const isSound = report.complete && report.behind + report.failed + report.waiting === 0;
  log[isSound ? 'info' : 'warn']('ledger swept', { destination: destination.name, ...report });
  return report;
}

/** Groups with unsent events, in portions. Reads the marks last, to leave out most of what is being sent right now. */
async function* unsentGroups(
  ports: StepOverPorts,
  report: SweepReport,
  since: Instant | undefined,
): AsyncGenerator<GroupKey[]> {
  let portion: { readonly key: GroupKey; readonly last: number }[] = [];
  for await (const group of ports.ledger.groups({ destination: ports.destination.name, since })) {
    report.groups += 1;
    portion.push(group);
    if (portion.length < SWEEP_GROUPS) continue;
    yield await beyondMarks(ports, portion);
    portion = [];
  }
  yield await beyondMarks(ports, portion);
}

async function beyondMarks(
  { marks, destination }: StepOverPorts,
  groups: readonly { readonly key: GroupKey; readonly last: number }[],
): Promise<GroupKey[]> {
  const sent = await Promise.all(groups.map(({ key }) => marks.load(destination.name, key)));
  return groups.flatMap(({ key, last }, index) => (last > (sent[index] ?? 0) ? [key] : []));
}

/** Relays, counts the outcomes, and returns the gaps at which groups stopped. */
async function sendAll(
  relay: Relay,
  groups: readonly GroupKey[],
  timeLeftMs: number,
  report: SweepReport,
): Promise<Gap[]> {
  const outcomes: readonly Outcome[] = await relay(groups, timeLeftMs);
  return groups.flatMap((key, index) => {
    const outcome = outcomes[index];
    if (outcome?.state === 'waiting') return [{ key, missing: outcome.missing }];
    report[outcome?.state ?? 'failed'] += 1;
    return [];
  });
}

/** Checks each gap again much later, and skips the unchanged ones. */
async function closeGaps(
  ports: StepOverPorts,
  relay: Relay,
  gaps: readonly Gap[],
  leftMs: () => number,
  report: SweepReport,
): Promise<void> {
  let open = gaps;
  // A retention that deletes in any order leaves several gaps in one group.
  for (let round = 0; round < MAX_GAPS_PER_GROUP && open.length > 0; round += 1) {
    if (leftMs() <= GAP_IS_LOST_AFTER_MS) break;
    await ports.clock.sleep(GAP_IS_LOST_AFTER_MS);
    const before = new Set(open.map(textOf));
    const after = await sendAll(relay, keysOf(open), leftMs(), report);
    const isLost = (gap: Gap) => before.has(textOf(gap));
    const lost = after.filter(isLost);
    const skipped: Gap[] = [];
    for (const gap of lost) if (await skipGap(ports, gap)) skipped.push(gap);
    report.skipped += skipped.length;
    report.waiting += lost.length - skipped.length;
    const further = await sendAll(relay, keysOf(skipped), leftMs(), report);
    open = [...after.filter((gap) => !isLost(gap)), ...further];
  }
  report.waiting += open.length;
}

/** @returns whether the gap was skipped */
async function skipGap(ports: StepOverPorts, { key, missing }: Gap): Promise<boolean> {
  const { marks, destination, log } = ports;
  const mark = await marks.load(destination.name, key);
  if (mark !== undefined) return stepOver(ports, key, missing, 'no longer in the ledger');
  // No event of the group was ever sent here, so none is missed: it starts behind the gap.
  await marks.advance(destination.name, key, missing.to);
  log.info('group starts behind a gap in the ledger', {
    destination: destination.name,
    ...key,
    ...missing,
  });
  return true;
}

function keysOf(gaps: readonly Gap[]): GroupKey[] {
  return gaps.map(({ key }) => key);
}

function textOf({ key, missing }: Gap): string {
  return `${formatGroupKey(key)} ${missing.from}-${missing.to}`;
}
