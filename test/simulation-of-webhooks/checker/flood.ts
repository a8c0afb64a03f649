// W11: a failing endpoint gets two attempts at once, one of them a retry, and a working one a few retries at once. An
// endpoint is failing
// after five failures in a row, if the last accepted event was a minute ago.
import { type Attempt, MINUTE, type Time, type Violation } from './evidence.ts';
import { type Indexed, isAboutContent, isAccepting } from './index-evidence.ts';

const FAILING_AFTER = 5;

export function checkFlood(indexed: Indexed): Violation[] {
  const { webhook, evidence } = indexed;
  // Senders count an attempt for the maximum duration of attempts, by their own clocks, so differing clocks allow more.
  if (evidence.skew > 0 || evidence.clockAhead !== undefined) return [];
  const regular = webhook.attempts.filter(({ invocation }) => invocation.faults === 0);
  const probes = regular.filter(isWithin(failingTimes(webhook.attempts)));
  const retries = regular.filter((attempt) => isRetry(indexed, attempt));
  return [
    ...atOnce(probes, 2, 'attempts at a failing endpoint'),
    ...atOnce(
      probes.filter((attempt) => isRetry(indexed, attempt)),
      1,
      'retries at a failing endpoint',
    ),
    ...atOnce(retries, webhook.retriesAtOnce, 'retries'),
  ];
}

/** When the endpoint was failing, as far as its senders had noted it. */
function failingTimes(attempts: readonly Attempt[]): readonly { readonly from: Time; readonly to: Time }[] {
  const noted = attempts
    .flatMap(({ notedAt, status }) =>
      notedAt === undefined || isAboutContent(status) ? [] : [{ notedAt, status }],
    )
    .sort((a, b) => a.notedAt - b.notedAt);
  const times: { from: Time; to: Time }[] = [];
  let failures = 0;
  let accepted = Number.NEGATIVE_INFINITY;
  for (const { notedAt, status } of noted) {
    failures = isAccepting(status) ? 0 : failures + 1;
    if (failures === 0) accepted = notedAt;
    if (failures === FAILING_AFTER)
      times.push({ from: Math.max(notedAt, accepted + MINUTE), to: Number.POSITIVE_INFINITY });
    const last = times.at(-1);
    // The sender's save counts, not the arrival of the accepted event.
    if (failures === 0 && last !== undefined) last.to = Math.min(last.to, notedAt);
  }
  return times;
}

function isWithin(times: readonly { readonly from: Time; readonly to: Time }[]) {
  return ({ decidedAt, at }: Attempt) => times.some(({ from, to }) => decidedAt > from && at < to);
}

/** Whether the event had failed in an invocation that was over. */
function isRetry({ attemptsOf }: Indexed, { id, invocation }: Attempt): boolean {
  return (attemptsOf.get(id) ?? []).some(
    ({ seenAt, status, invocation: earlier }) =>
      seenAt !== undefined &&
      !isAccepting(status) &&
      earlier.faults === 0 &&
      (earlier.endedAt ?? Number.POSITIVE_INFINITY) < invocation.startedAt,
  );
}

function atOnce(attempts: readonly Attempt[], most: number, what: string): Violation[] {
  const steps = attempts
    .flatMap(({ at, endedAt = at, id }) => [
      { time: at, by: 1, id },
      { time: endedAt, by: -1, id },
    ])
    .sort((a, b) => a.time - b.time || a.by - b.by);
  let count = 0;
  for (const { by, id } of steps) {
    count += by;
    if (count <= most) continue;
    return [{ guarantee: 'W11', place: id, message: `was one of ${count} ${what} at once` }];
  }
  return [];
}
