// Erases the events of a forgotten group. First it publishes which events some destinations will never get: otherwise
// their relays would wait for numbers that are gone.
import type { GroupKey, LedgerEraser } from '../ports.ts';
import type { SequenceRange } from './lane.ts';
import { type StepOverPorts, stepOver } from './step-over.ts';

export interface ForgetEventsPorts extends Omit<StepOverPorts, 'destination'> {
  readonly eraser: LedgerEraser;
}

export interface ForgottenEvents {
  readonly erased: number;
  /**
   * The unsent numbers that were reported as skipped, by destination; in an earlier generation or a restored state none
   * are reported.
   */
  readonly unsent: readonly { readonly destination: string; readonly range: SequenceRange }[];
}

/**
 * Erases a group's events up to its last number. After an interruption, call it again to finish.
 *
 * @param last the last number, from the tombstone
 * @param destinations all destinations that have marks
 * @param publishes whether to publish the unsent numbers. Not in an earlier generation: the present one has published
 * the group anew.
 */
export async function forgetEvents(
  ports: ForgetEventsPorts,
  key: GroupKey,
  last: number,
  destinations: readonly string[],
  publishes: boolean,
): Promise<ForgottenEvents> {
  const unsent: ForgottenEvents['unsent'][number][] = [];
  for (const destination of destinations) {
    const range = await skipUnsent(ports, key, last, destination, publishes);
    if (range !== undefined) unsent.push({ destination, range });
  }
  return { erased: await ports.eraser.erase(key, last), unsent };
}

async function skipUnsent(
  { ledger, marks, clock, log, presentGeneration }: ForgetEventsPorts,
  key: GroupKey,
  last: number,
  name: string,
  publishes: boolean,
): Promise<SequenceRange | undefined> {
  const mark = (await marks.load(name, key)) ?? 0;
  const [first] = await ledger.read(key, mark, 1);
  // It was sent already, or skipped after the ledger's retention took it.
  if (!publishes || first === undefined || first.sequence > last) {
    await marks.advance(name, key, last);
    return undefined;
  }
  const range = { from: mark + 1, to: last };
  const ports = { ledger, marks, clock, log, presentGeneration, destination: { name } };
  if (await stepOver(ports, key, range, 'its return group was forgotten')) return range;
  // In a restored state no number is known to be free for a report. The events are erased all the same.
  await marks.advance(name, key, last);
  return undefined;
}
