// Holds a source if its token or address was replaced by one that does not show it (prove-identity.ts). While it is
// held, only known groups are read. The hold ends as soon as one of them is found.
import { UnreadableAnswerError } from '../returns-service/errors.ts';
import type { SourceCell } from '../source/source-cell.ts';
import type { SourceSession } from '../source/source-session.ts';
import type { SourceState } from '../source/source-state.ts';
import { describeConsequence, describeHold } from './describe-hold.ts';
import type { TokenGuard } from './guard-requests.ts';
import type { Hold } from './guarding-state.ts';
import { countForPermit, findHold, findPermit, holdBack, replaceHold } from './holds.ts';
import { type Proof, proveIdentity } from './prove-identity.ts';
import { SourceHeld } from './source-held.ts';

const GUARD = 'known_group_not_found';
/** The tier whose cycle shows whether a permit is still needed. */
const TIER = 'all';

export interface SourceTokenGuard extends TokenGuard {
  /** Checks whether a held source shows known groups again. @throws SourceHeld if it does not */
  proveIfHeld(): Promise<void>;
  /**
   * Looks up known groups whatever was proved before, because a walk's readings look like another store.
   *
   * @returns whether these readings still count: not if the token was replaced since, or known groups are shown and
   * can't be read
   * @throws SourceHeld
   */
  proveAnew(): Promise<boolean>;
}

export interface HeldSource {
  readonly session: SourceSession;
  readonly cell: Pick<SourceCell, 'known' | 'update'>;
}

export function createTokenGuard({ session, cell }: HeldSource): SourceTokenGuard {
  const { requests, store, serviceClock, settings, signal, log, random } = session;

  /** Uses the secret's current token: an old one may be answered as if the store were empty. */
  async function lookUp(returnGroupId: number) {
    const { answer, accessHash } = await requests.send(
      'poll',
      (client) => client.listReturnGroups({ returnGroupId }, { signal }),
      { readsSecret: true },
    );
    return { rows: answer.rows, accessHash };
  }

  /** @throws UnreadableAnswerError if known groups are shown and can't be read */
  async function prove(accessHash: string | undefined): Promise<void> {
    if ((await lookForProof(accessHash)) !== 'unreadable') return;
    throw new UnreadableAnswerError(
      "The service shows known return groups in a form that can't be read: it may be another store. Check the base URL and the token. If both are right, report the rows to the service.",
      {},
    );
  }

  async function lookForProof(accessHash: string | undefined): Promise<Proof['outcome'] | undefined> {
    const state = cell.known;
    if (state === undefined) return undefined;
    const proof = await proveIdentity({
      source: { source: settings.name, generation: state.generation },
      store,
      lookUp,
      now: serviceClock.now().atMost,
      random,
      zoned: state.stamps.zoned,
      // One is enough: each tick tries another.
      ...(findHold(state, GUARD) === undefined ? {} : { most: 1 }),
    });
    conclude(proof, accessHash);
    return proof.outcome;
  }

  function conclude({ outcome, accessHash }: Proof, askedWith: string | undefined): void {
    const state = cell.known;
    if (state === undefined || outcome === 'replaced') return;
    const held = findHold(state, GUARD);
    if (outcome === 'unreadable') {
      if (held !== undefined) throw sourceHeld(held);
      return;
    }
    if (outcome === 'not_found') throw holdSource(state, accessHash);
    const free = held === undefined ? state : replaceHold(state, held, undefined);
    cell.update(() => ({ ...free, guarding: { ...free.guarding, seenWith: accessHash ?? askedWith } }));
    if (held !== undefined) log.info('A known return group is found again: the source is read again.');
  }

  function holdSource(state: SourceState, accessHash: string | undefined): SourceHeld {
    const suspicion = { guard: GUARD, tier: TIER, suspects: 1, tokenHash: accessHash } as const;
    const now = serviceClock.now().atMost;
    const doubted = { ...state, guarding: { ...state.guarding, seenWith: undefined } };
    const known = findHold(state, GUARD);
    const isSame = known !== undefined && known.tokenHash === accessHash;
    const held = isSame ? doubted : holdBack(doubted, suspicion, now);
    cell.update(() => held);
    return sourceHeld(findHold(held, GUARD));
  }

  return {
    isTrusted: (accessHash) => {
      const state = cell.known;
      return state === undefined || state.guarding.seenWith === accessHash;
    },
    prove,
    async proveIfHeld() {
      const state = cell.known;
      if (state !== undefined && findHold(state, GUARD) !== undefined) await prove(undefined);
    },
    async proveAnew() {
      const before = cell.known;
      if (before === undefined) return true;
      const { seenWith } = before.guarding;
      // An operator has confirmed by a release that none of them is found.
      const permit = findPermit(before, GUARD, TIER);
      if (permit !== undefined && permit.tokenHash === seenWith) {
        cell.update(() => countForPermit(before, { guard: GUARD, tier: TIER, suspects: 1 }, 0));
        return true;
      }
      const outcome = await lookForProof(undefined);
      return outcome !== 'unreadable' && cell.known?.guarding.seenWith === seenWith;
    },
  };
}

function sourceHeld(hold: Hold | undefined): SourceHeld {
  return new SourceHeld(
    hold === undefined ? 'The source is held.' : `${describeHold(hold)} ${describeConsequence(hold)}`,
  );
}
