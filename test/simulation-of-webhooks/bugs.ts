// Deliberate bugs of the delivery of webhooks, as test/simulation/bugs.ts has those of the feed.
import type { Bug, Edit } from '../simulation/bugs.ts';

function bug(name: string, file: string, ...edits: readonly [search: string, replace: string][]): Bug {
  const inFile = ([search, replace]: readonly [string, string]): Edit => ({ file, search, replace });
  return { name, edits: edits.map(inFile), profile: 'webhooks' };
}

const SENDER = 'shared/webhooks/webhook-sender.ts';
const ENDPOINT = 'shared/webhooks/endpoint-state.ts';
const ANSWER = 'shared/webhooks/judge-answer.ts';
const RETURNS = 'shared/whole-returns/read-return.ts';
const MARKS = 'test/fakes/memory-marks.ts';

export const BUGS_OF_WEBHOOKS: readonly Bug[] = [
  bug('a failed event is posted again when Retry-After allows it', 'shared/webhooks/retry-schedule.ts', [
    'Math.max(pauseMs, askedMs)',
    'Math.max(5_000, askedMs)',
  ]),
  bug('a mark moves back', MARKS, [
    'mark.sequence >= sequence) return false;',
    'mark.sequence === sequence) return false;',
  ]),
  bug('the sender passes events with any status', SENDER, [
    'matchesFilter(filter, event);',
    'matchesFilter({ ...filter, to: undefined } as EventFilter, event);',
  ]),
  bug('the mark that moves is not the mark that is read', SENDER, [
    'name: ports.webhook,',
    "name: 'webhook-' + ports.webhook,",
  ]),
  bug('an answer 404 counts as one about the content', ANSWER, [
    'new Set([400, 413,',
    'new Set([400, 404, 413,',
  ]),
  bug('a sweep leaves out the last groups of the ledger', 'shared/publishing/sweep.ts', [
    '}\n  yield await beyondMarks(ports, portion);',
    '}',
  ]),
  bug(
    'a webhook begins with the event that rang, though an earlier one is unsent',
    'shared/webhooks/begin-delivery.ts',
    ['Math.min(sequence, (await firstEventSince(ledger, key, startedAt)).sequence)', 'sequence'],
  ),
  bug('a refused event is stepped over although the endpoint accepted no other one', SENDER, [
    'return lastAcceptedAt !== undefined && now - lastAcceptedAt < ACCEPTED_LATELY;',
    'return lastAcceptedAt !== undefined;',
  ]),
  bug('the mark moves after ten events', SENDER, ['maxUnmarked: 1,', 'maxUnmarked: 10,']),
  bug('the failure of an event that another sender sent is noted for the next one', MARKS, [
    'if (sequence !== undefined && sequence >= failure.sequence) return undefined;',
    '',
  ]),
  bug('a pause is lengthened beyond what a queue can hide', SENDER, [
    'Math.min(waitMs, LONGEST_PAUSE_MS)',
    'waitMs',
  ]),
  bug('a 429 pauses the return, not the endpoint', ANSWER, [
    'isForAll: ABOUT_LOAD.has(status) }',
    'isForAll: ABOUT_LOAD.has(status) && status !== 429 }',
  ]),
  bug('all returns that failed are tried at once', ENDPOINT, [
    'if (underWay.length < applicant.retriesAtOnce)',
    'if (underWay.length < applicant.retriesAtOnce * 9)',
  ]),
  bug(
    'the place of a sender that died is never free again',
    ENDPOINT,
    ['Math.max(Math.min(...underWay) - now, pauseAfter(', 'Math.max(0, pauseAfter('],
    ['return leases.filter((end) => end > now);', 'return leases;'],
  ),
  bug('a paused endpoint is posted to', ENDPOINT, [
    'if (state.isPaused)',
    'if (state.isPaused && applicant.failingSince !== undefined)',
  ]),
  bug('a sweep does not report numbers that the ledger lost', 'shared/webhooks/ring-unsent.ts', [
    'const outcome = outcomes[index] as Outcome;',
    "const outcome = outcomes[index] as Outcome; if (outcome.state === 'waiting') return DONE;",
  ]),
  bug('a failing endpoint gets attempts from all senders at once', ENDPOINT, [
    'if (isFree && due <= now)',
    'if ((isFree || due > 0) && due <= now)',
  ]),
  bug('an accepted event does not move the mark', 'shared/publishing/relay.ts', [
    'run.unmarked.add(lane);\n    run.sent += 1;',
    'run.sent += 1;',
  ]),
  bug('an event is skipped with the events that the filter excludes', 'shared/publishing/lane.ts', [
    'admits?.(head) === false; head = headOf(lane)) {',
    'admits?.(head) === false; head = headOf(lane)) { if (lane.unsent.length > 1) lane.unsent.shift();',
  ]),
  bug(
    'the moments of the future that a sender noted, whose clock was ahead, count',
    'shared/webhooks/load-endpoint.ts',
    ['return withoutFutureMoments(state, clock.now());', 'return state;'],
  ),
  bug(
    'an event fails since the moment that a clock that was ahead noted',
    SENDER,
    ['if (since > latest)', 'if (since > latest * 2)'],
    ['if (contentSince <= latest && contentSince >= since - CLOCKS_APART)', 'if (since > 0)'],
  ),
  bug('a sender goes on after another one has sent the event as well', SENDER, [
    'isOvertaken = !hasMoved && isUnmarked;',
    'isOvertaken = false;',
  ]),
  bug('time in which an event was not tried counts as time in which its content was rejected', SENDER, [
    'sequence - 1 && now <= rejectedUntil,',
    'sequence - 1 && rejectedUntil >= 0,',
  ]),
  bug(
    'the state in a message is of an earlier moment than its changes',
    RETURNS,
    ['if (now?.version !== snapshot.version) continue;', ''],
    ["if (!('event' in entry) || entry.sequence > through)", "if (!('event' in entry))"],
  ),
  bug('a newer state than the one that failed does not say that its return is new', RETURNS, [
    "isNew ||= event.type === 'return_group.created';",
    "isNew = event.type === 'return_group.created';",
  ]),
];
