// The evidence of each source of a run, in each of its generations.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { SourceEvidence } from './checker/evidence.ts';
import { longestFreezeOf } from './timing.ts';
import type { ArraysStored } from './watch-arrays.ts';
import type { FieldsWatched } from './watch-fields.ts';
import type { OpenWalks } from './watch-open-walks.ts';
import type { Start, Starts } from './watch-starts.ts';
import type { Forgotten } from './world/operations.ts';
import type { HeldTime } from './world/operator.ts';
import type { Pollers } from './world/pollers.ts';
import type { World } from './world/world.ts';

/** The observations of a run's sources. */
export interface ObservedSources {
  readonly starts: Starts;
  readonly forgotten: readonly Forgotten[];
  readonly arraysStored: ArraysStored;
  readonly fields: FieldsWatched;
  readonly held: readonly HeldTime[];
  readonly openWalks: OpenWalks;
  /** For each source's name, whether it came to rest. */
  readonly settled: ReadonlyMap<string, boolean>;
}

/** Operations that skip or forget events. */
const SKIPPING: ReadonlySet<string> = new Set(['forget', 'redrive and skip']);

/** Returns one evidence per generation. In earlier generations published events are judged, but not missing ones. */
export function sourceEvidences(world: World, observed: ObservedSources, pollers: Pollers): SourceEvidence[] {
  const starts = observed.starts.get(pollers.source) ?? [];
  if (starts.length === 0) return [sourceEvidence(world, observed, pollers, undefined, true)];
  return starts.map((start, index) =>
    sourceEvidence(world, observed, pollers, start, index === starts.length - 1),
  );
}

function sourceEvidence(
  { stores, plan }: World,
  observed: ObservedSources,
  { source, concluded }: Pollers,
  start: Start | undefined,
  isLast: boolean,
): SourceEvidence {
  const { generation, baseline = plan.settings.baseline } = start ?? {};
  const isOwn = ({ event }: { readonly event: FeedEvent }) =>
    event.source === `/sources/${source}` && event.data.generation === generation;
  const written = stores.inserted.filter(isOwn);
  return {
    source,
    isLast,
    isOnly: (observed.starts.get(source) ?? []).length <= 1,
    mayBeSkipped: (plan.operations ?? []).some(({ what }) => SKIPPING.has(what)),
    baseline,
    customerData: plan.settings.customerData,
    interval: plan.settings.intervalMs * MILLISECOND,
    startedAt: start?.at,
    fieldKnownBy: (field) => observed.fields.knownBy(source, field),
    relaysMayLag: plan.faults.freeze > 0 || plan.faults.slow > 0 || plan.faults.entryFailed > 0,
    longestFreeze: longestFreezeOf(plan),
    forgotten: forgottenOf(stores, observed, source, generation),
    arraysStoredFrom: observed.arraysStored.get(source) ?? new Map(),
    concluded,
    heldTimes: observed.held.filter((held) => held.source === source),
    openWalks: observed.openWalks.get(source) ?? [],
    cameToRest: observed.settled.get(source) === true,
    baselineCompletedAt: written.find(({ event }) => event.type === 'feed.baseline_completed')?.at,
    written,
    queue: stores.queue.all.filter(isOwn),
    bus: stores.bus.all.filter(isOwn),
  };
}

function forgottenOf(
  { ledger }: World['stores'],
  { forgotten }: ObservedSources,
  source: string,
  generation: string | undefined,
): SourceEvidence['forgotten'] {
  return forgotten
    .filter(({ key }) => key.source === source && key.generation === generation)
    .map(({ key, through, isErased }) => ({
      groupId: Number(key.group),
      through,
      isLeft:
        isErased &&
        Array.from({ length: through }, (_, index) => index + 1).some((number) => ledger.has(key, number)),
    }));
}
