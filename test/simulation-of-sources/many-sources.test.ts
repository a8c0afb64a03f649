import { expect, it } from 'vitest';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MINUTE } from '../../shared/instant.ts';
import { createManySources, type Kind, type SimulatedSource } from './many-sources.ts';

const SOURCES = 500;
const OTHERS: Readonly<Record<number, Kind>> = {
  ...{ 3: 'hangs', 4: 'hangs', 5: 'hangs', 57: 'hangs', 58: 'hangs' },
  ...{ 101: 'fails', 102: 'fails', 103: 'fails', 155: 'is huge', 156: 'is huge', 201: 'removes most' },
};
const SEED = 7;
const BASELINES = 12;
const DISTURBED = 30;
const AFTERWARDS = 65;

it(`${SOURCES} sources are each read without loss, beside some that hang, fail, are huge or held`, {
  timeout: 600_000,
}, async () => {
  const world = createManySources({
    seed: SEED,
    sources: SOURCES,
    groups: 6,
    kindOf: (at) => OTHERS[at] ?? 'well',
  });
  const { sources, random, polledAt } = world;
  const changed = new Map<string, number>();
  const change = (source: SimulatedSource) => {
    const groups = source.service.control.snapshot();
    const group = groups[random.below(groups.length)];
    if (group === undefined) return;
    source.service.control.mutate(Number(group.id), (draft) => {
      draft.return_outcome = draft.return_outcome === 'credit' ? 'refund' : 'credit';
    });
    changed.set(source.name, (changed.get(source.name) ?? 0) + 1);
  };

  await world.run(BASELINES);
  const begun = world.time.elapsed();
  world.disturb(true, 0.01);
  for (const { kind, service } of sources)
    if (kind === 'removes most')
      for (const { id } of service.control.snapshot().slice(1)) service.control.remove(Number(id));
  await world.run(DISTURBED, () => {
    for (const source of sources) if (random.chance(0.1)) change(source);
    for (const source of sources)
      if (source.kind === 'is huge' && random.chance(0.2)) for (let at = 0; at < 80; at += 1) change(source);
  });
  const ended = world.time.elapsed();
  const degraded = await namesOf(
    sources,
    async ({ name }) => (await world.states.load(name))?.health.degradedSince !== undefined,
  );
  world.disturb(false, 0);
  await world.run(AFTERWARDS);

  const held = await namesOf(
    sources,
    async ({ name }) => (await world.states.load(name))?.holds[0]?.kind === 'removals',
  );
  const unpublished = await namesOf(sources, async (source) => (await lacking(world, source)) > 0);
  const waits = sources
    .filter(({ kind }) => kind === 'well')
    .flatMap(({ name }) => gapsOf(polledAt.get(name) ?? [], begun, ended))
    .sort((a, b) => a - b);
  expect(world.faults).toEqual([]);
  expect(changed.size).toBeGreaterThan(0.9 * SOURCES);
  expect(held).toEqual(sources.filter(({ kind }) => kind === 'removes most').map(({ name }) => name));
  expect(unpublished).toEqual([]);
  expect(degraded).toEqual(
    sources.filter(({ kind }) => kind === 'hangs' || kind === 'fails').map(({ name }) => name),
  );
  // A minute, and the place of its shard in it.
  expect((waits[Math.floor(0.99 * waits.length)] ?? Infinity) / MINUTE).toBeLessThan(2);
});

async function namesOf(
  sources: readonly SimulatedSource[],
  is: (source: SimulatedSource) => Promise<boolean>,
): Promise<string[]> {
  const names: string[] = [];
  for (const source of sources) if (await is(source)) names.push(source.name);
  return names;
}

/** Times between two polls. */
function gapsOf(times: readonly number[], from: number, to: number): number[] {
  const within = [from, ...times.filter((at) => at > from && at < to), to];
  return within.slice(1).map((at, index) => at - (within[index] ?? 0));
}

/** Returns whose stored state is not what the service shows, and numbers of events that are missing or doubled. */
async function lacking(
  { ledger, states, store }: ReturnType<typeof createManySources>,
  { name: source, service }: SimulatedSource,
): Promise<number> {
  const state = await states.load(source);
  if (state === undefined) return 1;
  // Its removals wait for a release.
  if (state.holds.length > 0) return 0;
  const { generation } = state;
  const shown = service.control.snapshot();
  const snapshots = await store.load(
    { source, generation },
    shown.map(({ id }) => Number(id)),
  );
  let wrong = 0;
  for (const { id, return_outcome } of shown) {
    const group = Number(id);
    const entries = await ledger.read({ source, generation, group }, 0, 10_000);
    const events = entries.flatMap((entry) => ('event' in entry ? [entry.event] : []));
    const stored = snapshots.get(group)?.projection.group.return_outcome;
    const published = events.length === 0 ? stored : outcomeOf(events);
    const isWhole = events.every(({ data }, at) => data.sequence === at + 1);
    if (stored !== return_outcome || published !== return_outcome || !isWhole) wrong += 1;
  }
  return wrong;
}

function outcomeOf(events: readonly FeedEvent[]): unknown {
  const last = events.findLast(({ type }) => type.startsWith('return_group.'));
  return last !== undefined && 'return_outcome' in last.data.object
    ? last.data.object.return_outcome
    : undefined;
}
