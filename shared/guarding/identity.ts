// Whether the service still shows this source. A token or an address that was changed by mistake shows another store, or
// an empty one, and all known groups would look removed. So before answers for another address or token are used, and
// before a group is published as removed, known groups are looked up by their ids. One that is found is proof. Several
// are tried, from all of the source's past, because each of them may have been removed.
import { DAY, type Instant, SECOND } from '../instant.ts';
import type { Requests } from '../pacing/requests.ts';
import type { KnownGroup } from '../ports.ts';
import { ReturnsServiceError, UnreadableAnswerError } from '../returns-service/errors.ts';
import { ownRowsOf } from '../returns-service/own-rows.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { SourceCell } from '../source/source-cell.ts';
import { NONE_IN_VAIN, type SourceSession } from '../source/source-session.ts';
import { describeConsequence, describeHold } from './describe-hold.ts';
import { endHold, findHold, holdBack } from './holds.ts';
import { SourceHeld } from './source-held.ts';

/** Known groups that are looked up before the store counts as another one. */
const MOST_CANARIES = 5;
/** How far back they are taken from: recent groups are least likely to be removed, the oldest have outlasted most. */
const SPANS = [DAY, 7 * DAY, 45 * DAY, 365 * DAY, Number.POSITIVE_INFINITY];
/** All known groups missing at once look like another store, unless they are as few as a test's. */
const FEWEST_MISSING = 5;
const WHEN_UNREADABLE =
  "The service shows known return groups in a form that can't be read: it may be another store. Check the base URL " +
  'and the token. If both are right, report the rows to the service.';

export interface Identity {
  /**
   * Whether answers to this address and token may be used. If it is not known, it is proved.
   *
   * @throws SourceHeld if they show another store; what requests throw
   */
  isTrusted(accessHash: string): Promise<boolean>;
  /**
   * Looks known groups up whatever was proved before.
   *
   * @throws SourceHeld, UnreadableAnswerError, and what requests throw
   */
  prove(): Promise<void>;
  /**
   * The same, unless it was proved since a moment, by the local clock.
   *
   * @param missing groups that were not found: they prove nothing
   */
  proveSince(moment: Instant, missing: ReadonlySet<number>): Promise<void>;
  /** Notes that an answer of the list shows a known group: that is proof as well. @param sentAt when it was requested */
  noteKnown(sentAt: Instant): void;
}

export function createIdentity(
  session: SourceSession,
  requests: Requests,
  cell: Pick<SourceCell, 'state' | 'update' | 'save'>,
): Identity {
  const { store, settings, clock, random, log, signal } = session;
  let provedAt = Number.NEGATIVE_INFINITY;

  /** Lanes whose answers are in doubt at the same time share one proof. */
  let proving: Promise<void> | undefined;
  function prove(missing: ReadonlySet<number>): Promise<void> {
    proving ??= lookForProof(missing).finally(() => {
      proving = undefined;
    });
    return proving;
  }

  /** Whether no group is known to look up: then whatever is shown is the source. */
  let isUnknown = false;

  async function lookForProof(missing: ReadonlySet<number>): Promise<void> {
    isUnknown = false;
    const held = findHold(cell.state, 'other_store');
    // A tick may have time for a few look-ups only: the next one goes on with other groups.
    const vain = session.vain;
    const most = (held === undefined ? MOST_CANARIES : 1) - vain.groupIds.size;
    const canaries = await chooseCanaries(new Set([...missing, ...vain.groupIds]), most);
    let { accessHash } = vain;
    let isUnreadable = false;
    let failure: ReturnsServiceError | undefined;
    for (const canary of canaries) {
      const answer = await lookUp(canary.groupId).catch((error: unknown) => {
        // One group's look-up may fail for ever.
        if (!(error instanceof ReturnsServiceError)) throw error;
        failure = error;
      });
      if (answer === undefined) continue;
      // The token was replaced meanwhile, which proves nothing: the next answer is judged anew.
      if (accessHash !== undefined && accessHash !== answer.accessHash) return beginAnew();
      accessHash = answer.accessHash;
      if (answer.rows.some((row) => isSame(row, canary))) return trust(accessHash, answer.sentAt);
      if (answer.rows.some(({ kind }) => kind === 'unreadable')) isUnreadable = true;
      else session.vain = { accessHash, groupIds: new Set([...session.vain.groupIds, canary.groupId]) };
    }
    if (failure !== undefined) throw failure;
    if (isUnreadable) throw new UnreadableAnswerError(WHEN_UNREADABLE, {});
    if (accessHash === undefined && missing.size < FEWEST_MISSING) {
      isUnknown = true;
      return;
    }
    throw holdSource(accessHash ?? cell.state.seenWith);
  }

  /**
   * Reads the secret first: an old token may be answered as if the store were empty. Once only: another group proves as
   * much as a second try, and one that hangs would take the whole tick.
   */
  async function lookUp(returnGroupId: number) {
    const { answer, accessHash, sentAt } = await requests.send(
      { lane: 'look-ups' },
      (client) => client.listReturnGroups({ returnGroupId }, { signal, skipsCaches: true }),
      { readsSecret: true, tries: 1 },
    );
    return { rows: ownRowsOf(returnGroupId, answer.rows), accessHash, sentAt };
  }

  /** A few known groups, others each time: from each span the first one after a random moment. */
  async function chooseCanaries(missing: ReadonlySet<number>, most: number): Promise<KnownGroup[]> {
    const chosen = new Map<number, KnownGroup>();
    const age = clock.now() - ((await firstKnown())?.createdAt ?? clock.now());
    const first = Math.floor(random() * SPANS.length);
    for (const span of [...SPANS.slice(first), ...SPANS.slice(0, first)]) {
      if (chosen.size >= most) break;
      const from = clock.now() - Math.floor(Math.min(span, age) * random());
      const isOther = ({ groupId }: KnownGroup) => !chosen.has(groupId) && !missing.has(groupId);
      // Where all known groups are older than a span, it must not be left out: one group may fail for ever.
      const group = (await firstKnown(isOther, from)) ?? (await firstKnown(isOther));
      if (group !== undefined) chosen.set(group.groupId, group);
    }
    return [...chosen.values()];
  }

  async function firstKnown(
    matches: (group: KnownGroup) => boolean = () => true,
    from: Instant = Number.NEGATIVE_INFINITY,
  ): Promise<KnownGroup | undefined> {
    const source = { source: settings.name, generation: cell.state.generation };
    for await (const group of store.knownCreatedBetween(source, from, Number.MAX_SAFE_INTEGER))
      if (matches(group)) return group;
    return undefined;
  }

  function beginAnew(): void {
    session.vain = NONE_IN_VAIN;
  }

  function trust(accessHash: string, at: Instant): void {
    provedAt = Math.max(provedAt, at);
    beginAnew();
    if (findHold(cell.state, 'other_store') !== undefined)
      log.info('A known return group is found again: the source is read again.');
    cell.update((state) => ({ ...endHold(state, 'other_store'), seenWith: accessHash }));
  }

  function holdSource(accessHash: string | undefined): SourceHeld {
    beginAnew();
    const found = { kind: 'other_store', count: 1, accessHash } as const;
    cell.update((state) => holdBack({ ...state, seenWith: undefined }, found, clock.now()));
    const hold = findHold(cell.state, 'other_store');
    return new SourceHeld(hold && `${describeHold(hold)} ${describeConsequence(hold)}`);
  }

  return {
    prove: () => prove(new Set()),
    async proveSince(moment, missing) {
      if (provedAt < moment) await prove(missing);
    },
    noteKnown(sentAt) {
      provedAt = Math.max(provedAt, sentAt);
      beginAnew();
    },
    async isTrusted(accessHash) {
      if (cell.state.seenWith === accessHash) return true;
      await prove(new Set());
      if (isUnknown && cell.state.seenWith !== accessHash) {
        trust(accessHash, clock.now());
        // Before any group is saved: after a crash the first ones would have to prove it, and may fail for ever.
        await cell.save();
      }
      return cell.state.seenWith === accessHash;
    },
  };
}

/** Another store may have a group of that id, but hardly one created in the same second. */
function isSame(row: RowReading, { createdAt }: { readonly createdAt: Instant }): boolean {
  return row.createdAt !== undefined && Math.abs(row.createdAt - createdAt) <= SECOND;
}
