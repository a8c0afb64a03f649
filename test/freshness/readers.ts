// The compared readers, and our feed with the relevant combinations of settings.
import type { ReaderOptions } from './run-reader.ts';

export interface ReadersWanted {
  readonly every?: number;
  readonly reconcile?: number;
  readonly settle?: number;
  readonly budget: number;
  readonly schedule: 'watch' | 'aws';
}

const EVERY_MS = 5_000;
const FAST = { reconcileMs: 5_000, settleMs: 3_000 };
const DEFAULTS = { reconcileMs: undefined, settleMs: undefined };

export function readersOf({ every, reconcile, settle, budget, schedule }: ReadersWanted): ReaderOptions[] {
  const everyMs = every ?? EVERY_MS;
  const isGiven = reconcile !== undefined || settle !== undefined;
  const ways = isGiven ? [{ reconcileMs: reconcile, settleMs: settle }] : [FAST, DEFAULTS];
  return [
    { name: 'usual', kind: 'usual', everyMs },
    { name: 'whole-list', kind: 'whole-list', everyMs },
    ...ways.map((way) => ({
      name: nameOf(way),
      kind: 'ours' as const,
      ...{ everyMs, requestsPerMinute: budget, schedule, ...way },
    })),
  ];
}

function nameOf({
  reconcileMs,
  settleMs,
}: {
  reconcileMs: number | undefined;
  settleMs: number | undefined;
}) {
  if (reconcileMs === undefined && settleMs === undefined) return 'ours, defaults';
  const seconds = (ms: number | undefined) => (ms === undefined ? 'default' : `${ms / 1_000}s`);
  return `ours, --reconcile ${seconds(reconcileMs)} --settle ${seconds(settleMs)}`;
}
