// The log lines about posts to a URL: the first that is accepted, and failures with what they mean. The other accepted
// posts are no news: each change has its row already.
import type { FeedEvent } from '../../shared/contract/event.ts';
import { judgeAnswer } from '../../shared/webhooks/judge-answer.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { shownUrl } from '../cli/shown-url.ts';
import { explainFailure } from '../status/explain-failure.ts';

export function isAccepted(answer: Answer): boolean {
  return 'status' in answer && answer.status >= 200 && answer.status < 300;
}

export function describeAccepted(url: URL, answer: Answer): string {
  const status = 'status' in answer ? answer.status : '';
  return `${shownUrl(url)} accepts events (${status} after ${answer.requestMs} ms).`;
}

/**
 * For instance `http://127.0.0.1:3000/hook: ECONNREFUSED, nothing listens there. Start the receiver, or correct its port.`.
 * The same for each event, unless the answer is about the event.
 *
 * @param secretFrom where to find the secret that signs, in a sentence
 */
export function describeRejected(url: URL, event: FeedEvent, answer: Answer, secretFrom: string): string {
  const reason = reasonOf(answer);
  const { what, advice } = explainFailure(reason);
  const about = isAboutContent(answer) ? ` (${event.type} ${event.id})` : '';
  return `${shownUrl(url)}: ${what}${about}. ${advice}${reason === 'answered 401' ? ` ${secretFrom}` : ''}`;
}

/** Whether the receiver rejects this event, and may accept others. */
export function isAboutContent(answer: Answer): boolean {
  return judgeAnswer(answer, 0).kind === 'content';
}

function reasonOf(answer: Answer): string {
  return 'failure' in answer ? answer.failure : `answered ${answer.status}`;
}
