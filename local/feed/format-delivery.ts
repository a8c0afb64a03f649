// One attempt to post an event, as a line for people: what came back, how long it took, and what changed.
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import type { Moments } from '../cli/moments.ts';
import { describeChange, nameOf } from './format-event.ts';

const RESULT_WIDTH = 12;

export function formatDelivery(url: URL, event: FeedEvent, answer: Answer, moments: Moments): string {
  const took = `${answer.requestMs} ms`.padStart(8);
  const { id } = 'return_group' in event.data ? event.data.return_group : { id: 'feed' };
  const what = `${id} #${event.data.sequence}  ${nameOf(event)}  ${describeChange(event, moments)}`;
  return `→ ${url.host}  ${resultOf(answer).padEnd(RESULT_WIDTH)} ${took}  ${what}`;
}

export function isAccepted(answer: Answer): boolean {
  return 'status' in answer && answer.status >= 200 && answer.status < 300;
}

function resultOf(answer: Answer): string {
  if ('failure' in answer) return answer.failure;
  return `${answer.status}${isAccepted(answer) ? '' : ' rejected'}`;
}
