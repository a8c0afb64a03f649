// The events of a group that is to be forgotten. Destinations that had not got some of them are told that they never
// will, before anything is erased: else their relays would wait for numbers that are gone.
import type { GroupKey, LedgerEraser } from '../ports.ts';
import type { SequenceRange } from './lane.ts';
import { type StepOverPorts, stepOver } from './step-over.ts';

export interface ForgetEventsPorts extends Omit<StepOverPorts, 'destination'> {
  readonly eraser: LedgerEraser;
}

export interface ForgottenEvents {
  readonly erased: number;
  /** What each destination had not got, where there was anything. */
  readonly unsent: readonly { readonly destination: string; readonly range: SequenceRange }[];
}

/**
 * Erases a group's events up to its last number. Done again it goes on where it was interrupted.
 *
 * @param last the number that its tombstone keeps
 * @param destinations whose marks there are
 * @param tells whether it is told what they had not got. Not in a generation that was restored from a backup: where
 *   it went on elsewhere the number that the telling would get was given out.
 */
export async function forgetEvents(
  ports: ForgetEventsPorts,
  key: GroupKey,
  last: number,
  destinations: readonly string[],
  tells: boolean,
): Promise<ForgottenEvents> {
  const unsent: ForgottenEvents['unsent'][number][] = [];
  for (const destination of destinations) {
    const range = await skipUnsent(ports, key, last, destination, tells);
    if (range !== undefined) unsent.push({ destination, range });
  }
  return { erased: await ports.eraser.erase(key, last), unsent };
}

async function skipUnsent(
  { ledger, marks, clock, log }: ForgetEventsPorts,
  key: GroupKey,
  last: number,
  name: string,
  tells: boolean,
): Promise<SequenceRange | undefined> {
  const mark = (await marks.load(name, key)) ?? 0;
  const [first] = await ledger.read(key, mark, 1);
  // It was sent already, or given up when the ledger's retention took it.
  if (!tells || first === undefined || first.sequence > last) {
    await marks.advance(name, key, last);
    return undefined;
  }
  const range = { from: mark + 1, to: last };
  const ports = { ledger, marks, clock, log, destination: { name } };
  await stepOver(ports, key, range, 'its return group was forgotten');
  return range;
}
