// A world in which a walk over all groups takes longer than a cycle, so old groups that are open are read on their own.
import { expect } from 'vitest';
import type { Answer, ServiceRequest } from '../../../local/reference-service/service/answer.ts';
import type { ShownGroup } from '../../../local/reference-service/showing/show-group.ts';
import { DAY, MINUTE, parseStamp } from '../../../shared/instant.ts';
import { fitsCycle } from '../../../shared/source/reconciliation-plan.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { createSourceWorld, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';

/** A world in which changes move no stamps, and a walk over all groups does not fit a cycle. */
export const SLOW = {
  groups: 900,
  knobs: { limitMax: 5, touches: [] },
  settings: { reconcileMs: 180_000, requestsPerMinute: 60 },
} as const;

export async function slowWorld(close: (world: SourceWorld) => void, options: SourceWorldOptions = SLOW) {
  const world = createSourceWorld(options);
  close(world);
  const session = world.startProcess('a');
  await world.tick(session);
  while ((await world.state()).baseline.status !== 'completed') await world.nextTick(session);
  expect(fitsCycle(await world.state(), world.settings)).toBe(false);
  return { world, session };
}

/** Opens one of so many old groups, and closes the others. @returns the open ones */
export function openEach(world: SourceWorld, distance: number): number[] {
  const old = oldGroups(world);
  setAll(world, old, false);
  const open = old.filter((_, index) => index % distance === distance / 2);
  setAll(world, open, true);
  return open;
}

export function openFew(world: SourceWorld): number[] {
  return openEach(world, 60);
}

export async function worldWithFewOpen() {
  const open: number[] = [];
  const { world, session } = await slowWorld((store) => void open.push(...openFew(store)));
  return { world, session, open };
}

/** Groups that are too old to be walked with the recent ones, oldest first. */
export function oldGroups(world: SourceWorld): number[] {
  return shownOldGroups(world).map(({ id }) => Number(id));
}

/** The same groups, as the service shows them. */
export function shownOldGroups(world: SourceWorld): ShownGroup[] {
  const before = world.time.now() - 50 * DAY;
  return world
    .shownOldestFirst()
    .filter(
      ({ created_at }) => (parseStamp(String(created_at))?.instant ?? Number.POSITIVE_INFINITY) < before,
    );
}

export function setAll(world: SourceWorld, groups: readonly number[], isOpen: boolean) {
  for (const id of groups) {
    world.control.mutate(id, (draft) => {
      for (const item of draft.returns) item.status = isOpen ? 'OPEN' : 'COMPLETED';
      for (const shipment of draft.shipments) shipment.status = 'DELIVERED';
      for (const exchange of draft.exchange_line_items) exchange.status = 'PROCESSED';
    });
  }
}

export function cancel(world: SourceWorld, id: number) {
  world.control.mutate(id, (draft) => {
    for (const item of draft.returns) item.status = 'CANCELED';
  });
}

/** As in a large store, where the walk over all groups takes days. */
export async function pauseSlowWalk(world: SourceWorld, duration = DAY) {
  const state = await world.state();
  const { reconciliation, version } = state;
  const all = { ...reconciliation.all, pausedUntil: world.time.now() + duration };
  const paused = { ...state, version: version + 1, reconciliation: { ...reconciliation, all } };
  await world.states.save(paused, version);
}

export async function cycles(world: SourceWorld, session: SourceSession, count: number) {
  const seen = new Set<number | undefined>();
  for (let minutes = 0; seen.size <= count && minutes < 120; minutes += 1) {
    await world.nextTick(session);
    seen.add((await world.state()).reconciliation.open.lastCompletedAt);
  }
}

/** Until so many walks over open groups have ended. */
export async function openWalks(world: SourceWorld, session: SourceSession, count: number): Promise<void> {
  const lastCompleted = async () => (await world.state()).reconciliation.open.lastCompletedAt;
  for (let made = 0; made < count; made += 1) {
    const before = await lastCompleted();
    for (let ticks = 0; ticks < 20 && (await lastCompleted()) === before; ticks += 1)
      await ticksWithoutSlowWalk(world, session, 1);
  }
}

/** Each answer takes so long. */
export function answerAfter(world: SourceWorld, afterMs: number) {
  world.network.intercept = (request) => ({ ...world.reference.service.answer(request), afterMs });
}

/** A store with one open group among sixteen old ones, oldest first. */
export async function worldWithManyOpen() {
  const open: number[] = [];
  const { world, session } = await slowWorld((store) => void open.push(...openEach(store, 16)), {
    ...{ groups: 1_600, knobs: SLOW.knobs },
    settings: { reconcileMs: 60_000 },
  });
  return { world, session, open };
}

/** Ticks of a process that stays, or each of a new one, as in a large store. */
export async function ticksWithoutSlowWalk(
  world: SourceWorld,
  session: SourceSession | 'new',
  count: number,
) {
  const { next: random } = createSeededRandom(count);
  for (let made = 0; made < count; made += 1) {
    await pauseSlowWalk(world, 5 * MINUTE);
    const process = () => world.startProcess(`p${world.time.elapsed()}`, { random });
    await world.nextTick(session === 'new' ? process() : session);
  }
}

/** Ticks until it is so, but at most so often. */
export async function ticksUntil(
  isSo: () => Promise<boolean>,
  {
    world,
    session,
    most,
  }: { readonly world: SourceWorld; readonly session: SourceSession | 'new'; readonly most: number },
) {
  for (let made = 0; made < most && !(await isSo()); made += 5) await ticksWithoutSlowWalk(world, session, 5);
}

export async function areRemoved(world: SourceWorld, groups: readonly number[]) {
  return (await typesOf(world, groups)).every((types) => types !== '');
}

export async function typesOf(world: SourceWorld, groups: readonly number[]) {
  const events = await Promise.all(groups.map((id) => world.groupEvents(id)));
  return events.map((each) => each.map(({ type }) => type).join());
}

/** Whether it asks for a list from the creation of a group on. */
export function isListFrom(world: SourceWorld, groupId: number): (request: ServiceRequest) => boolean {
  const group = world.control.snapshot().find(({ id }) => id === groupId);
  const createdAt = Date.parse(String(group?.created_at));
  return ({ query }) => Math.abs(Date.parse(query.get('min_created_at') ?? '') - createdAt) < 5_000;
}

export const NO_ANSWER: Answer = { status: 200, headers: {}, body: '', delivery: 'hang', afterMs: 0 };
