// The guarantees of a webhook:
//  W1  A return's events first arrive in order.
//  W2  Every event that the filter admits arrives, unless `feed.events_skipped` names it.
//  W3  Every attempt of an event has the same id and bytes, those of the ledger.
//  W4  No event arrives that the filter excludes or that is older than the webhook.
//  W5  No attempt while a 429's, a 503's or an operator's pause lasts.
//  W6  Retries are no more frequent than the schedule.
//  W7  An accepted event is not posted again once its sender saw the answer; a death repeats at most one event, and so
//      do two senders that have a return at once.
//  W8  No event is skipped without a cause.
//  W9  A webhook without outages is not late, even if others have outages.
//  W10 No message is hidden for longer than a queue allows.
//  W11 A failing endpoint gets one attempt at a time, and a working one a few retries at once.
// Of a webhook that gets whole returns, instead of W1 to W4, W6, W7 and W9:
//  W12 The receiver that compares generation and number ends with the service's state of each return.
//  W13 The state and the changes in a message are of one moment.
//  W14 No attempt begins below the mark.
//  W15 A state that is newer than one that was not accepted still says that the return is new.
import { checkAdmitted } from './admitted.ts';
import { checkComplete } from './complete.ts';
import type { Evidence, Violation } from './evidence.ts';
import { checkFlood } from './flood.ts';
import { indexEvidence } from './index-evidence.ts';
import { checkOrdered } from './ordered.ts';
import { checkPauses } from './pauses.ts';
import { checkRepeats } from './repeats.ts';
import { checkSameBytes } from './same-bytes.ts';
import { checkSchedule } from './schedule.ts';
import { checkSkips } from './skips.ts';
import { checkUndelayed } from './undelayed.ts';
import { checkWholeReturns } from './whole-returns.ts';

const CHECKS = [
  checkOrdered,
  checkComplete,
  checkSameBytes,
  checkAdmitted,
  checkPauses,
  checkSchedule,
  checkRepeats,
  checkSkips,
  checkUndelayed,
  checkFlood,
];

const CHECKS_OF_RETURNS = [checkWholeReturns, checkPauses, checkSkips, checkFlood];

export function check(evidence: Evidence): Violation[] {
  const violations: Violation[] = evidence.ownErrors.map((message) => ({ guarantee: 'W0', message }));
  for (const webhook of evidence.webhooks) {
    const indexed = indexEvidence(evidence, webhook);
    for (const each of webhook.shape === 'return' ? CHECKS_OF_RETURNS : CHECKS)
      violations.push(...each(indexed).map((violation) => ({ ...violation, webhook: webhook.name })));
    if (webhook.hiddenTooLong === 0) continue;
    const message = `a sender wanted to hide a message for too long ${webhook.hiddenTooLong} times`;
    violations.push({ guarantee: 'W10', webhook: webhook.name, message });
  }
  return violations;
}
