import { checkComplete } from './check-complete.ts';
import { checkContext } from './check-context.ts';
import { checkChain, checkRest, checkTruth } from './check-event.ts';
import type { Evidence, Problem, PublishedEntity, Report } from './evidence.ts';
import type { EntityHistory, PrintedEvent } from './history.ts';
import { type OutsideEvent, readEvent } from './printed-event.ts';

export interface Verdict {
  readonly problems: readonly Problem[];
  readonly events: number;
  readonly repeats: number;
  readonly peakRequests: number;
}

/**
 * Decides by the service's own history whether the output of `watch` is true, in order and complete. It depends on the
 * README's guarantees and the event catalogue, and not on the feed's code. The rule `complete` is meaningful only after a
 * quiet period.
 */
export function judge(evidence: Evidence): Verdict {
  const problems: Problem[] = [];
  const report: Report = (rule, text) => problems.push({ rule, text });
  const { firsts, repeats } = withoutRepeats(evidence.printed, report);
  const histories = new Map(evidence.histories.map((history) => [history.subject, history]));
  const published = new Map<string, PublishedEntity>();

  checkNumbers(firsts, report);
  for (const { event, arrivedAt } of firsts) {
    const history = histories.get(event.subject);
    if (!history) {
      report('true', `${event.id}: the service never had ${event.subject}`);
      continue;
    }
    checkChain(event, published.get(event.subject), report);
    const index = checkTruth(event, arrivedAt, history, published.get(event.subject), evidence, report);
    checkRest(event, history, index, evidence, report);
    checkContext(event, histories, evidence, report);
    published.set(event.subject, { state: event.verb === 'removed' ? undefined : event.object, index });
    if (event.type === 'return_group.removed') takePartsAlong(event, histories, published);
  }
  for (const history of evidence.histories.filter(({ groupId }) => groupId !== evidence.failingId))
    checkComplete(history, published.get(history.subject), evidence, report);

  const peakRequests = mostInAMinute(evidence.requestedAt);
  if (peakRequests > evidence.budget) {
    report('budget', `${peakRequests} requests in 60 s, the budget is ${evidence.budget}`);
  }
  return { problems, events: firsts.length, repeats, peakRequests };
}

interface First {
  readonly event: OutsideEvent;
  readonly arrivedAt: number;
}

/** The first arrival of each id, in order. */
function withoutRepeats(printed: readonly PrintedEvent[], report: Report) {
  const lines = new Map<string, string>();
  const firsts: First[] = [];
  let repeats = 0;

  for (const { line, arrivedAt } of printed) {
    const event = readEvent(line);
    if (typeof event === 'string') {
      report('valid', event);
      continue;
    }
    const before = lines.get(event.id);
    if (before === undefined) {
      lines.set(event.id, line);
      firsts.push({ event, arrivedAt });
      continue;
    }
    repeats += 1;
    if (before !== line) report('same-id', `${event.id} is repeated with other content`);
  }
  return { firsts, repeats };
}

function checkNumbers(firsts: readonly First[], report: Report): void {
  const last = new Map<number, number>();
  for (const { event } of firsts) {
    const expected = (last.get(event.groupId) ?? 0) + 1;
    if (event.sequence !== expected) {
      report('numbers', `${event.id}: number ${event.sequence} came instead of ${expected}`);
    }
    last.set(event.groupId, event.sequence);
  }
}

/** Marks the parts of a removed group as gone: they have no events of their own. */
function takePartsAlong(
  event: OutsideEvent,
  histories: Map<string, EntityHistory>,
  published: Map<string, PublishedEntity>,
): void {
  for (const history of histories.values()) {
    if (history.groupId !== event.groupId || history.kind === 'return_group') continue;
    const index = history.states.findLastIndex(({ fields }) => fields === undefined);
    published.set(history.subject, {
      state: undefined,
      index: Math.max(index, published.get(history.subject)?.index ?? -1),
    });
  }
}

/** The most requests in any sliding 60 seconds. */
export function mostInAMinute(requestedAt: readonly number[]): number {
  let most = 0;
  let from = 0;
  requestedAt.forEach((time, index) => {
    while (time - requestedAt[from]! >= 60_000) from += 1;
    most = Math.max(most, index - from + 1);
  });
  return most;
}
