// The use case of `forget`, top to bottom: a tombstone replaces the snapshot, so that no later save builds on it, and the
// same save publishes `return_group.forgotten`; then the earlier events are erased; then the notes about the group in the
// source's state. After an interruption a repetition completes the work, and no number can be used twice at any moment.
import { FORGOTTEN, forgetGroup, isForgotten } from './comparing/forget-group.ts';
import type { GroupKey, SnapshotStore, SourceStates } from './ports.ts';
import { type ForgetEventsPorts, type ForgottenEvents, forgetEvents } from './publishing/forget-events.ts';
import { createPresentGeneration } from './source/present-generation.ts';
import type { SourceState } from './source/source-state.ts';

export interface ForgetPorts extends Omit<ForgetEventsPorts, 'presentGeneration'> {
  readonly states: SourceStates;
  readonly store: Pick<SnapshotStore, 'load' | 'save'>;
}

export interface Forgotten extends ForgottenEvents {
  readonly generation: string;
  /** The number that its tombstone keeps: the events of a group that returns get the numbers after it. */
  readonly lastNumber: number;
  /** Whether `return_group.forgotten` was published: not in an earlier generation, or in a restored state. */
  readonly isPublished: boolean;
}

/** Tries to save: each time another process, such as a poll, may save first. */
const MAX_TRIES = 20;

/**
 * Forgets a return group in all generations of its source.
 *
 * @param destinations those that have marks
 * @returns what was forgotten in each generation that knows the group
 * @throws Error if others keep saving the group or the source's state
 */
export async function forgetReturnGroup(
  ports: ForgetPorts,
  state: SourceState,
  groupId: number,
  destinations: readonly string[],
): Promise<Forgotten[]> {
  const { source, generation, earlierGenerations } = state;
  const presentGeneration = createPresentGeneration(ports.states);
  // Only in the present generation is a number known to be free.
  const present = await presentGeneration(source);
  const forgotten: Forgotten[] = [];
  for (const each of [...earlierGenerations, generation]) {
    const key: GroupKey = { source, generation: each, group: groupId };
    const buried = await bury(ports, key, groupId, each === present);
    if (buried === undefined) continue;
    const events = await forgetEvents(
      { ...ports, presentGeneration },
      key,
      buried.isPublished ? buried.lastNumber - 1 : buried.lastNumber,
      destinations,
      each === generation,
    );
    forgotten.push({ generation: each, ...buried, ...events });
  }
  await forgetNotes(ports, source, groupId);
  return forgotten;
}

/** Stores the tombstone with its event. @returns undefined for a group that was never saved */
async function bury(
  { store, ledger, clock }: ForgetPorts,
  key: GroupKey,
  groupId: number,
  publishes: boolean,
): Promise<Pick<Forgotten, 'lastNumber' | 'isPublished'> | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const snapshot = (await store.load(key, [groupId])).get(groupId);
    if (snapshot === undefined) return undefined;
    const { sequence: lastNumber } = snapshot;
    if (isForgotten(snapshot)) return { lastNumber, isPublished: await isReported(ledger, key, lastNumber) };
    const save = forgetGroup(snapshot, key, clock.now(), publishes);
    if ((await store.save(key, save)) === 'saved')
      return { lastNumber: save.snapshot.sequence, isPublished: publishes };
  }
  throw new Error(`Return group ${groupId} is being saved all the time; try again.`);
}

/** Whether the number is that of the event of an earlier run, which must stay. */
async function isReported(ledger: ForgetPorts['ledger'], key: GroupKey, sequence: number): Promise<boolean> {
  const [entry] = await ledger.read(key, sequence - 1, 1);
  return entry !== undefined && 'event' in entry && entry.event.type === FORGOTTEN;
}

/** Removes the notes of what the service showed: a digest of a set-aside group, samples of a hold. */
async function forgetNotes({ states }: ForgetPorts, source: string, groupId: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const state = await states.load(source);
    if (state === undefined || !isNoted(state, groupId)) return;
    const next = { ...withoutNotes(state, groupId), version: state.version + 1 };
    if ((await states.save(next, state.version)) === 'saved') return;
  }
  throw new Error(`The state of source "${source}" is being saved all the time; try again.`);
}

function isNoted({ setAside, lookUps, holds }: SourceState, groupId: number): boolean {
  const ofHolds = holds.flatMap(({ samples }) => samples);
  return [...setAside, ...lookUps, ...ofHolds].some((note) => note.groupId === groupId);
}

function withoutNotes(state: SourceState, groupId: number): SourceState {
  const isOther = (note: { readonly groupId: number | undefined }) => note.groupId !== groupId;
  return {
    ...state,
    setAside: state.setAside.filter(isOther),
    lookUps: state.lookUps.filter(isOther),
    holds: state.holds.map((hold) => ({ ...hold, samples: hold.samples.filter(isOther) })),
  };
}
