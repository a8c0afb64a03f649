// The lane of look-ups by id: groups that a walk missed, and readings that were left as possibly stale. A group that two
// look-ups do not find, whose answers' times are `settle` apart, is published as removed. Caches are asked not to answer
// them; a second one has a limit of its own, which a cache that does so all the same has not kept.
import { removeGroup } from '../comparing/remove-group.ts';
import { noteFinding } from '../guarding/findings.ts';
import { endReleased, findHold } from '../guarding/holds.ts';
import { admitRemovals } from '../guarding/removals.ts';
import { sampleMissing } from '../guarding/sample-change.ts';
import { type Instant, MILLISECOND, MINUTE } from '../instant.ts';
import type { Page } from '../reading/range.ts';
import { forgetRoom } from '../reading/room.ts';
import { noteSetAside, takeBack } from '../recording/set-aside.ts';
import { ReturnsServiceError } from '../returns-service/errors.ts';
import { ownRowsOf } from '../returns-service/own-rows.ts';
import type { LookUp } from '../source/source-state.ts';
import type { Lane } from './lane.ts';
import { sourceOf, type TickRun } from './tick-run.ts';

/** When a look-up that failed is made again. */
const AGAIN_AFTER = MINUTE;
const TRIES = 2;

export function createLookUpLane(run: TickRun): Lane {
  const { settings, store } = run.session;
  const settle = settings.settleMs * MILLISECOND;
  const next = () => run.state.lookUps.toSorted((a, b) => a.dueAt - b.dueAt)[0];

  async function work(): Promise<void> {
    const lookUp = next();
    if (lookUp === undefined) return;
    const { groupId } = lookUp;
    const snapshot = (await store.load(sourceOf(run), [groupId])).get(groupId);
    if (snapshot === undefined || snapshot.removedAt !== undefined) return drop(groupId);
    const page = await ask(lookUp);
    if (page === undefined) return;
    if (page.rows.length > 0) return show(groupId, page);
    const { absentSince } = run.state.lookUps.find((each) => each.groupId === groupId) ?? {};
    if (absentSince === undefined)
      return change(groupId, { absentSince: page.receivedAt, dueAt: page.receivedAt + settle });
    const early = absentSince + settle - page.sentAt;
    if (early > 0) return change(groupId, { dueAt: run.now() + early });
    await remove(groupId, page, absentSince);
  }

  /** @returns the answer with the group's own rows; undefined if the look-up failed */
  async function ask(lookUp: LookUp): Promise<Page | undefined> {
    const { groupId } = lookUp;
    const limit = ownLimit(lookUp);
    const query = { returnGroupId: groupId, ...(limit === undefined ? {} : { limit }) };
    try {
      const page = await run.ask('look-ups', query, { tries: TRIES, skipsCaches: true });
      return { ...page, rows: ownRowsOf(groupId, page.rows) };
    } catch (error) {
      if (!(error instanceof ReturnsServiceError)) throw error;
      const reason = `the list lacks it or shows an old state, and its look-up by id fails (${error.message})`;
      run.update((state) => noteSetAside(state, { groupId, reason, digest: '' }, run.now()));
      change(groupId, { dueAt: run.now() + AGAIN_AFTER });
      return undefined;
    }
  }

  /** The limit of a second look-up: another one each minute. */
  function ownLimit({ absentSince, olderSince = absentSince }: LookUp): number | undefined {
    if (olderSince === undefined) return undefined;
    const { limit } = run.state;
    const minutes = Math.max(0, Math.floor((run.now() - olderSince) / MINUTE));
    return limit - (minutes % Math.ceil(limit / 2));
  }

  async function show(groupId: number, page: Page): Promise<void> {
    // A row that can't be read may have no id in lists.
    const isReadable = page.rows.some(({ kind }) => kind === 'readable');
    const wasMissing =
      isReadable && run.state.lookUps.some((each) => each.groupId === groupId && each.isMissing === true);
    change(groupId, { absentSince: undefined });
    const asked = run.state.lookUps.find((each) => each.groupId === groupId);
    await run.recorder.record(page, 'look-ups');
    // A reading that decides nothing has queued another one.
    if (asked && run.state.lookUps.includes(asked)) drop(groupId);
    if (!wasMissing) return;
    const found = {
      code: 'groups_hidden',
      lane: 'recent',
      count: 1,
      example: `return group ${groupId}`,
    } as const;
    // Pages may have become shorter.
    run.update((state) => noteFinding({ ...state, room: forgetRoom(state.room) }, found, run.now()));
  }

  /** @throws SourceHeld if no known group is found any more */
  async function remove(groupId: number, page: Page, absentSince: Instant): Promise<void> {
    const now = run.now();
    const removals = run.state.removals + 1;
    const admission = admitRemovals(run.state, removals, [sampleMissing(groupId)], now);
    run.update(() => admission.state);
    // The next walk that misses it looks it up again.
    if (!admission.isAdmitted) return drop(groupId);
    const missing = run.state.lookUps.filter(
      (each) => each.isMissing === true || each.absentSince !== undefined,
    );
    await run.identity.proveSince(absentSince, new Set(missing.map((each) => each.groupId)));
    const snapshot = (await store.load(sourceOf(run), [groupId])).get(groupId);
    if (snapshot === undefined || snapshot.removedAt !== undefined) return drop(groupId);
    const { sentAt, receivedAt } = page;
    const vain = { sentAt, receivedAt, through: 'reconciliation' } as const;
    const source = sourceOf(run);
    const save = removeGroup(snapshot, vain, { ...source, settle });
    if (save === undefined) return change(groupId, { dueAt: snapshot.receivedAt + settle });
    run.session.memory.forget(groupId);
    if ((await store.save({ ...source, group: groupId }, save)) === 'saved')
      run.update((state) => ({ ...state, removals }));
    drop(groupId);
  }

  function change(groupId: number, next: Partial<LookUp>): void {
    run.update((state) => ({
      ...state,
      lookUps: state.lookUps.map((each) => (each.groupId === groupId ? { ...each, ...next } : each)),
    }));
  }

  /** Ends the look-up of a group, and takes back what was noted when it failed. */
  function drop(groupId: number): void {
    run.update((state) => {
      const lookUps = state.lookUps.filter((each) => each.groupId !== groupId);
      return endReleased(takeBack({ ...state, lookUps }, new Set([groupId]), run.now()));
    });
  }

  return {
    name: 'look-ups',
    dueAt: () => (findHold(run.state, 'other_store') ? Infinity : (next()?.dueAt ?? Infinity)),
    work,
  };
}
