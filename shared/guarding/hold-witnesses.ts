// Whether a mistake that is held still stands. A hold keeps a few of its changes as witnesses: the value that a group's
// field was held with. Whenever a walk reads the group again, the witness shows one of three things:
//
// - The field still has the held value: the mistake stands.
// - The field has another value, and the stamp is one under which the held value was shown: the mistake is over, or the
//   group truly changed.
// - The field has another value under a newer stamp, or is not shown: undecided. So is a held value that was published
//   since, because a change with a newer stamp publishes all that its group shows: it may be the mistake, or true by
//   now. The next walk has another witness.
//
// Pure: from one state to the next.
import { digestOf } from '../comparing/digest.ts';
import { MAX_HOLD_SAMPLES } from '../limits.ts';
import type { Hold, HoldSample, HoldWitness } from './guarding-state.ts';
import { kindOf, valueShown } from './hold-samples.ts';
import type { ComparedReading } from './reading-guard.ts';

/**
 * Returns the hold as a cycle begins: with the witnesses that showed the mistake, and samples of the same fields in
 * place of others. Only if there are none, samples of other fields: they may be true changes.
 */
export function withNewWitnesses(hold: Hold): Hold {
  const standing = hold.witnesses.filter(({ shows }) => shows === true);
  const known = new Set(standing.map(({ groupId }) => groupId));
  const others = hold.samples.filter(({ groupId }) => !known.has(groupId));
  const ofSameFields = [...standing, ...others.filter((sample) => isAlike(hold, sample)).flatMap(witnessOf)];
  const witnesses = ofSameFields.length > 0 ? ofSameFields : others.flatMap(witnessOf);
  return {
    ...hold,
    witnesses: witnesses.slice(0, MAX_HOLD_SAMPLES).map((witness) => ({ ...witness, shows: undefined })),
  };
}

/** Returns the hold with what a walk's reading shows of its group's witness. The last reading of a cycle counts. */
export function askWitness(hold: Hold, each: ComparedReading): Hold {
  const witness = hold.witnesses.find(({ groupId }) => groupId === each.snapshot?.groupId);
  if (witness === undefined) return hold;
  const shows = doesShow(witness, each);
  if (shows === witness.shows) return hold;
  const witnesses = hold.witnesses.map((other) => (other === witness ? { ...witness, shows } : other));
  return { ...hold, witnesses };
}

/** If fewer witnesses decide, one true change among them could end a hold. The next walk has others in their place. */
const DECIDING_SHARE = 1 / 3;

/**
 * Whether the mistake stands, after a whole walk in which no improbable share differed: most witnesses that decide show
 * it, or too few decide and changes of the same fields are found. A hold that keeps nothing back any more ends: what it
 * held may have become true, and was published with newer stamps.
 */
export function doesMistakeStand(hold: Hold): boolean {
  if (hold.met === 0) return false;
  const count = (shown: boolean) => hold.witnesses.filter(({ shows }) => shows === shown).length;
  const [standing, over] = [count(true), count(false)];
  const isDecided = standing + over > 0 && standing + over >= DECIDING_SHARE * hold.witnesses.length;
  return standing > over || (!isDecided && hold.samples.some((sample) => isAlike(hold, sample)));
}

/** @returns undefined if the reading decides nothing */
function doesShow(witness: HoldWitness, { snapshot, reading }: ComparedReading): boolean | undefined {
  if (snapshot === undefined || snapshot.removedAt !== undefined) return undefined;
  const { held, updatedAt } = witness.value;
  const value = valueShown(reading.projection, witness.value, snapshot.projection);
  if (value === undefined) return undefined;
  const published = valueShown(snapshot.projection, witness.value);
  const isPublished = published !== undefined && digestOf(published) === held;
  if (digestOf(value) === held) return isPublished ? undefined : true;
  const heldUnder = isPublished ? Math.max(updatedAt, snapshot.updatedAt) : updatedAt;
  return reading.updatedAt > heldUnder ? undefined : false;
}

/** Whether a sample is of the same field as a witness. If the hold has no witness yet, every sample is alike. */
function isAlike({ witnesses }: Hold, { value }: HoldSample): boolean {
  const isSameKind = (witness: HoldWitness) => value && kindOf(witness.value) === kindOf(value);
  return witnesses.length === 0 || witnesses.some(isSameKind);
}

/** None for a sample of a missing group or entity, or one that an older version saved: they have no held value. */
function witnessOf({ groupId, value }: HoldSample): HoldWitness[] {
  return value === undefined ? [] : [{ groupId, value, shows: undefined }];
}
