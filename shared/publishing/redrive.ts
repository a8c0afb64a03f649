// An operator's command for a group that is behind: tries again, or skips the event at which the group is stuck.
import type { GroupKey } from '../ports.ts';
import { RestoredStateError } from '../source/restored-state.ts';
import type { Outcome, SequenceRange } from './lane.ts';
import type { Relay } from './relay.ts';
import { type StepOverPorts, stepOver } from './step-over.ts';

export interface RedriveOptions {
  /**
   * The number of the event to step over; in a gap of the ledger, the whole gap is stepped over. Named, so that a
   * repeated command does not skip the next event as well: nothing is stepped over unless the group is still stuck at
   * this event.
   */
  readonly stepOver?: number;
}

export interface Redriven {
  readonly outcome: Outcome;
  readonly steppedOver?: SequenceRange;
}

/**
 * Sends a group's unsent events. If it is stuck at the named event, steps over that event and continues.
 *
 * @throws if the event could not be stepped over, in a restored state for instance; the group is then unchanged
 */
export async function redrive(
  ports: StepOverPorts,
  relay: Relay,
  key: GroupKey,
  timeLeftMs: number,
  options: RedriveOptions = {},
): Promise<Redriven> {
  const [outcome = NOT_TRIED] = await relay([key], timeLeftMs);
  const stuck = stuckAt(outcome);
  const named = options.stepOver;
  if (stuck === undefined || named === undefined || named < stuck.from || named > stuck.to)
    return { outcome };
  if (!(await stepOver(ports, key, stuck, `${stuck.reason}; stepped over by hand`)))
    throw new RestoredStateError(key.source);
  const [after = NOT_TRIED] = await relay([key], timeLeftMs);
  return { outcome: after, steppedOver: { from: stuck.from, to: stuck.to } };
}

const NOT_TRIED: Outcome = { state: 'failed', reason: 'it was not tried' };

function stuckAt(outcome: Outcome): (SequenceRange & { readonly reason: string }) | undefined {
  if (outcome.state === 'behind')
    return { from: outcome.sequence, to: outcome.sequence, reason: outcome.reason };
  if (outcome.state === 'waiting') return { ...outcome.missing, reason: 'missing from the ledger' };
  return undefined;
}
