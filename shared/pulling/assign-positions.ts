// Gives events their positions in the pull feed: the relay of a place whose commits have no order of their own. The mark
// of a group and the positions of its events are saved together, so replays, retries, sweeps and two relays at once give
// no second position, and none appears behind one that was read.
import { isOwnGroup } from '../contract/event-id.ts';
import { MILLISECOND } from '../instant.ts';
import type { Clock, GroupKey, SaveResult } from '../ports.ts';
import {
  confirmHead,
  failLane,
  fillLane,
  headOf,
  type Lane,
  type LanePorts,
  openLane,
} from '../publishing/lane.ts';
import type { Relay } from '../publishing/relay.ts';
import { formatGroupKey } from '../recording/group-key.ts';

/** Events of a group that get the next positions. */
export interface Run {
  readonly key: GroupKey;
  /** The mark: the last number that has a position, 0 for none. */
  readonly after: number;
  /** Their numbers, ascending. */
  readonly sequences: readonly number[];
}

export interface PositionWriter {
  /**
   * Gives the events the next positions in the order given, and moves the marks of their groups: all or nothing.
   *
   * @returns `conflict` if another process was faster, at the newest position or at a mark
   * @throws if it is unknown whether they have positions
   */
  assign(runs: readonly Run[]): Promise<SaveResult>;
}

export interface AssignPorts extends LanePorts {
  readonly writer: PositionWriter;
  readonly clock: Pick<Clock, 'elapsed' | 'sleep'>;
  /** From 0 to below 1, for the jitter of pauses. */
  readonly random: () => number;
}

/** A transaction of DynamoDB has 100 items: the newest position, a mark for each group, the events. */
export const MOST_GROUPS = 33;
export const MOST_EVENTS = 66;
/** The longest pause after a conflict; it doubles with each further one in a row, up to the last (full jitter). */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [20, 1_000];

/** @returns a {@link Relay} that sends nothing */
export function createPositionRelay(ports: AssignPorts): Relay {
  const { writer, clock, random } = ports;

  return async (groups, timeLeftMs) => {
    const stopAt = clock.elapsed() + timeLeftMs * MILLISECOND;
    const lanes = new Map<string, Lane>();
    // The pull feed has nothing of the feed itself.
    for (const key of groups) if (!isOwnGroup(key.group)) lanes.set(formatGroupKey(key), openLane(key));
    let conflicts = 0;
    for (let open = [...lanes.values()]; open.length > 0; open = open.filter(isOpen)) {
      if (clock.elapsed() >= stopAt) {
        for (const lane of open) lane.outcome = { state: 'failed', reason: 'the time was over' };
        break;
      }
      const result = await assignNext(open.slice(0, MOST_GROUPS));
      conflicts = result === 'conflict' ? conflicts + 1 : 0;
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (conflicts - 1));
      if (conflicts > 0) await clock.sleep(random() * longest);
    }
    return groups.map((key) => lanes.get(formatGroupKey(key))?.outcome ?? { state: 'done' });
  };

  async function assignNext(lanes: readonly Lane[]): Promise<SaveResult> {
    await Promise.all(lanes.map((lane) => fillLane(ports, lane)));
    const runs = runsOf(lanes.filter(isOpen));
    if (runs.length === 0) return 'saved';
    try {
      const result = await writer.assign(runs.map(({ run }) => run));
      for (const { lane, run } of runs) {
        if (result === 'saved') confirm(lane, run);
        else Object.assign(lane, openLane(lane.key));
      }
      return result;
    } catch (cause) {
      for (const { lane } of runs) failLane(ports, lane, 'its positions could not be saved', cause);
      return 'saved';
    }
  }
}

function isOpen({ outcome }: Lane): boolean {
  return outcome === undefined;
}

interface LaneRun {
  readonly lane: Lane;
  readonly run: Run;
}

/** What one save may have: the first events of each lane, until it is full. */
function runsOf(lanes: readonly Lane[]): LaneRun[] {
  let room = MOST_EVENTS;
  return lanes.flatMap((lane) => {
    const unreadable = lane.unsent.findIndex((entry) => 'undecodable' in entry);
    const readable = unreadable === -1 ? lane.unsent : lane.unsent.slice(0, unreadable);
    const sequences = readable.slice(0, room).map(({ sequence }) => sequence);
    if (sequences.length === 0 || headOf(lane) === undefined) return [];
    room -= sequences.length;
    return [{ lane, run: { key: lane.key, after: lane.sent ?? 0, sequences } }];
  });
}

function confirm(lane: Lane, { sequences }: Run): void {
  for (const _ of sequences) confirmHead(lane);
  // The mark has moved with them.
  lane.unmarked = 0;
}
