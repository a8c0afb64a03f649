// Sends the events of the named groups to a destination, each group's in order and without a gap. It is
// level-triggered: the trigger only names groups, and the ledger and the marks determine what to send. So records may
// come twice, late, in any order or not at all, and two relays may run at once: a relay first sends a number only when
// it knows the number before it to be confirmed. A mark moves only after the send was confirmed, and at most one batch
// is ever sent and unmarked, which bounds what a crash repeats.

import { MILLISECOND } from '../instant.ts';
import { MAX_BATCH_ENTRIES, SEND_ATTEMPTS, SEND_PAUSE_MS } from '../limits.ts';
import type { GroupKey, SendResult } from '../ports.ts';
import { formatGroupKey } from '../recording/group-key.ts';
import {
  confirmHead,
  failLane,
  fillLane,
  headOf,
  type Lane,
  moveMark,
  type Outcome,
  openLane,
  type RelayPorts,
  stopBehind,
} from './lane.ts';

/**
 * Sends the unsent events of the groups, until none is left, all are stuck, or the time is over.
 * @param timeLeftMs no send begins after that; groups that are not done by then count as failed
 * @returns the outcome of each group, in the given order. Never throws.
 */
export type Relay = (groups: readonly GroupKey[], timeLeftMs: number) => Promise<Outcome[]>;

interface Run {
  /** By {@link Clock.elapsed}. */
  readonly stopAt: number;
  /** Lanes not yet begun. */
  readonly upcoming: Lane[];
  /** Lanes under way, at most one per batch entry: each gives its head to the next batch. */
  active: Lane[];
  /** Lanes whose mark may have to move. */
  readonly unmarked: Set<Lane>;
  sent: number;
}

export function createRelay(ports: RelayPorts): Relay {
  return async (groups, timeLeftMs) => {
    const lanes = new Map<string, Lane>();
    const asked = groups.map((key) => laneOf(key, lanes));
    const run: Run = {
      stopAt: ports.clock.elapsed() + timeLeftMs * MILLISECOND,
      upcoming: [...lanes.values()],
      active: [],
      unmarked: new Set(),
      sent: 0,
    };
    while (run.active.length + run.upcoming.length > 0) {
      if (ports.clock.elapsed() >= run.stopAt) endAll(run, 'the time was over');
      else if (await fillBatch(ports, run)) await sendBatch(ports, run, await readyLanes(ports, run));
    }
    await moveMarks(ports, run);
    ports.log.debug('relayed', { destination: ports.destination.name, groups: lanes.size, sent: run.sent });
    // No lane is under way any more, so each has its outcome.
    return asked.map(({ outcome }) => outcome as Outcome);
  };
}

/** One lane per group, however often it is named. */
function laneOf(key: GroupKey, lanes: Map<string, Lane>): Lane {
  const name = formatGroupKey(key);
  const lane = lanes.get(name) ?? openLane(key);
  lanes.set(name, lane);
  return lane;
}

/** Fills the places of lanes that ended. Returns whether the batch is full or no lanes are left to add. */
async function fillBatch(ports: RelayPorts, run: Run): Promise<boolean> {
  run.active.push(...run.upcoming.splice(0, MAX_BATCH_ENTRIES - run.active.length));
  await Promise.all(run.active.map((lane) => fillLane(ports, lane)));
  for (const lane of run.active) run.unmarked.add(lane);
  run.active = run.active.filter((lane) => lane.outcome === undefined);
  return run.active.length === MAX_BATCH_ENTRIES || run.upcoming.length === 0;
}

/** The lanes whose pause is over; if all pause, waits for the first. */
async function readyLanes(ports: RelayPorts, run: Run): Promise<Lane[]> {
  const now = ports.clock.elapsed();
  const first = Math.min(...run.active.map((lane) => lane.notBefore));
  if (first >= run.stopAt) {
    endAll(run, 'the time was over');
    return [];
  }
  if (first > now) {
    await moveMarks(ports, run);
    await ports.clock.sleep((first - now) / MILLISECOND);
  }
  return run.active.filter((lane) => lane.notBefore <= Math.max(first, now));
}

async function sendBatch(ports: RelayPorts, run: Run, ready: readonly Lane[]): Promise<void> {
  const unmarked = [...run.unmarked].reduce((sum, lane) => sum + lane.unmarked, 0);
  const { maxUnmarked = MAX_BATCH_ENTRIES } = ports;
  if (unmarked + ready.length > maxUnmarked) await moveMarks(ports, run);
  const entries = ready.flatMap((lane) => {
    const event = headOf(lane);
    return event === undefined ? [] : [{ lane, event }];
  });
  if (entries.length === 0) return;
  let results: SendResult[];
  try {
    results = await ports.destination.send(entries.map(({ event }) => event));
  } catch (cause) {
    const error = cause instanceof Error ? cause : undefined;
    ports.log.error('destination failed', { destination: ports.destination.name, error });
    endAll(run, 'the destination failed');
    return;
  }
  await Promise.all(entries.map(({ lane }, index) => settle(ports, run, lane, results[index])));
}

async function settle(
  ports: RelayPorts,
  run: Run,
  lane: Lane,
  result: SendResult | undefined,
): Promise<void> {
  if (result?.sent) {
    confirmHead(lane);
    run.unmarked.add(lane);
    run.sent += 1;
    return;
  }
  const reason = result?.reason ?? 'the destination returned no result for it';
  if (result?.cause === 'rejected') return stopBehind(ports, lane, reason);
  lane.attempts += 1;
  if (lane.attempts >= (ports.attempts ?? SEND_ATTEMPTS)) return failLane(ports, lane, reason);
  const longest = SEND_PAUSE_MS * 2 ** (lane.attempts - 1);
  lane.notBefore = ports.clock.elapsed() + Math.ceil(ports.random() * longest * MILLISECOND);
}

async function moveMarks(ports: RelayPorts, run: Run): Promise<void> {
  await Promise.all([...run.unmarked].map((lane) => moveMark(ports, lane)));
  run.unmarked.clear();
}

/** Leaves unfinished lanes to the next run; confirmed events are marked at the end of this run. */
function endAll(run: Run, reason: string): void {
  for (const lane of [...run.active.splice(0), ...run.upcoming.splice(0)]) {
    lane.outcome ??= { state: 'failed', reason };
  }
}
