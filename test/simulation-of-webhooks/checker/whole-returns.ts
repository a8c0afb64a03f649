// The guarantees of a webhook that gets whole returns (W12 to W15, check.ts).
import type { ReturnChanged } from '../../../shared/contract/return-message.ts';
import type { Attempt, Evidence, Violation, Written } from './evidence.ts';
import { type Indexed, isAboutContent, isAccepting, placeOf } from './index-evidence.ts';

/** An attempt with its message. */
interface Posted extends Attempt {
  /** For instance `s1_g1_4`. */
  readonly group: string;
  readonly sequence: number;
  readonly data: ReturnChanged['data'];
}

export function checkWholeReturns(indexed: Indexed): Violation[] {
  const posted = indexed.webhook.attempts.map(read);
  const byGroup = Map.groupBy(posted, ({ group }) => group);
  return [
    ...checkNewest(indexed, byGroup),
    ...posted.flatMap((each) => checkMoment(indexed, each)),
    ...[...byGroup.values()].flatMap(checkMark),
    ...[...byGroup].flatMap(([group, attempts]) => checkIsNew(indexed, group, attempts)),
  ];
}

function read(attempt: Attempt): Posted {
  const [, group = '', sequence = ''] = /^(.+)_r(\d+)$/.exec(attempt.id) ?? [];
  const { data } = JSON.parse(attempt.body) as ReturnChanged;
  return { ...attempt, group, sequence: Number(sequence), data };
}

/** W12: the receiver that keeps the newest by generation and number has each return's state of the service. */
function checkNewest(indexed: Indexed, byGroup: ReadonlyMap<string, readonly Posted[]>): Violation[] {
  return lastEvents(indexed.evidence).flatMap((last): Violation[] => {
    const place = placeOf(last.event.id);
    if (place === undefined || !isOwed(indexed, last)) return [];
    const { group, sequence } = place;
    const attempts = byGroup.get(group) ?? [];
    if (isExcused(indexed, last, attempts)) return [];
    let kept: Posted | undefined;
    for (const each of attempts.filter(({ acceptedAt }) => acceptedAt !== undefined).sort(byArrival))
      if (each.sequence > (kept?.sequence ?? 0)) kept = each;
    if (kept !== undefined && stateIn(kept) === `state ${sequence}`) return [];
    const message = `ended as ${kept === undefined ? 'unknown' : stateIn(kept)}, not as state ${sequence}`;
    return [{ guarantee: 'W12', place: group, message }];
  });
}

const byArrival = (a: Posted, b: Posted) => (a.acceptedAt ?? 0) - (b.acceptedAt ?? 0);

function stateIn({ data }: Posted): string {
  return data.return?.return_group.return_outcome ?? 'none';
}

/** The last event of each group. */
function lastEvents({ written }: Evidence): Written[] {
  const last = new Map<string, Written>();
  for (const each of written) {
    const group = placeOf(each.event.id)?.group;
    if (group !== undefined && !each.event.type.startsWith('feed.')) last.set(group, each);
  }
  return [...last.values()];
}

/** Whether the event was observed after the webhook's start. */
function isOwed({ webhook }: Indexed, { event }: Written): boolean {
  return Date.parse(event.data.observed.by) * 1_000 > (webhook.startedAt ?? Number.POSITIVE_INFINITY);
}

function isExcused({ evidence, skippedAt }: Indexed, last: Written, attempts: readonly Posted[]): boolean {
  const { group = '', sequence = 0 } = placeOf(last.event.id) ?? {};
  return (
    skippedAt(group, sequence) !== undefined ||
    evidence.forgotten.some((each) => each.group === group && each.through >= sequence) ||
    // The endpoint rejects its content, and it is not due to be skipped yet.
    isAboutContent(attempts.at(-1)?.status)
  );
}

/** W13: the state and the changes of a message are of one moment, that of its number. */
function checkMoment({ writtenById }: Indexed, each: Posted): Violation[] {
  const { group, sequence, data, at, id } = each;
  const numbers = data.changes.map((change) => placeOf(change.id)?.sequence ?? 0);
  const wrong = (message: string): Violation[] => [{ guarantee: 'W13', place: id, message }];
  if (data.return?.sequence !== sequence || stateIn(each) !== `state ${sequence}`)
    return wrong(`has ${stateIn(each)}`);
  if (data.changes_cut !== true) {
    const first = numbers[0] ?? 0;
    const isWhole = numbers.every((number, index) => number === first + index) && numbers.at(-1) === sequence;
    return isWhole ? [] : wrong(`lists the changes ${numbers.join(', ')}`);
  }
  if (numbers.some((number) => number > sequence)) return wrong('lists a later change');
  const isGone = (number: number) => (writtenById.get(`${group}_${number}`)?.goneFrom ?? 0) <= at;
  const first = numbers[0] ?? sequence + 1;
  const missing = range(first, sequence).filter((number) => !numbers.includes(number) && !isGone(number));
  return missing.length === 0 ? [] : wrong(`leaves out the changes ${missing.join(', ')}`);
}

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** W14: no sender posts a state after another one has noted that it, or a newer one, was accepted. */
function checkMark(attempts: readonly Posted[]): Violation[] {
  const noted = attempts.filter(({ seenAt, status, invocation }) => {
    const { ending, thrown = 0 } = invocation;
    return seenAt !== undefined && isAccepting(status) && thrown === 0 && ending !== 'died';
  });
  return attempts.flatMap(({ id, sequence, invocation }): Violation[] => {
    const isBelow = noted.some(
      (other) =>
        other.sequence >= sequence &&
        (other.invocation.endedAt ?? Number.POSITIVE_INFINITY) < invocation.startedAt,
    );
    return isBelow ? [{ guarantee: 'W14', place: id, message: 'was posted below the mark' }] : [];
  });
}

/** W15: until a message with a return's creation has arrived, each newer state says that it is new. */
function checkIsNew(indexed: Indexed, group: string, attempts: readonly Posted[]): Violation[] {
  const created = indexed.writtenById.get(`${group}_1`);
  const isDisturbed = indexed.evidence.forgotten.some((each) => each.group === group);
  if (created?.event.type !== 'return_group.created' || !isOwed(indexed, created) || isDisturbed) return [];
  const firstArrival = Math.min(...attempts.map(({ acceptedAt = Number.POSITIVE_INFINITY }) => acceptedAt));
  return attempts.flatMap(({ id, at, data }): Violation[] => {
    const isSkipped = (indexed.skippedAt(group, 1) ?? Number.POSITIVE_INFINITY) <= at;
    if (data.is_new || at >= firstArrival || isSkipped || created.goneFrom <= at) return [];
    return [{ guarantee: 'W15', place: id, message: 'does not say that its return is new' }];
  });
}
