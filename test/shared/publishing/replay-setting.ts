// What tests of replays share: events that the queue has already received, and plans to send them there again.
import type { GroupKey } from '../../../shared/ports.ts';
import { planReplay } from '../../../shared/publishing/replay.ts';
import type { createSetting } from './setting.ts';

type Setting = ReturnType<typeof createSetting>;
type PlanArguments = Parameters<typeof planReplay> extends [unknown, ...infer Rest] ? Rest : never;

export const EVERYTHING = { from: undefined, until: undefined };
export const OPTIONS = { replayId: 'mi9', eventsPerSecond: 1_000 };

/** Plans a replay to the queue. */
export function planOf(
  { ledger, marks }: Pick<Setting, 'marks'> & { readonly ledger: Pick<Setting['ledger'], 'read'> },
  ...[keys, window, onProgress]: PlanArguments
) {
  return planReplay({ ledger, marks, destination: 'queue' }, keys, window, onProgress);
}

/** Puts events of a group into the ledger that the queue has already received. */
export async function writeSent(setting: Setting, key: GroupKey, ...sequences: number[]): Promise<void> {
  setting.write(key, ...sequences);
  await setting.marks.advance('queue', key, Math.max(...sequences));
}
