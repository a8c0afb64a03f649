// One attempt to post an event, as a line for people: what came back, how long it took, and what changed.
import type pc from 'picocolors';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { printable } from '../cli/printable.ts';
import { describeChange, nameOf } from '../feed/format-event.ts';

type Colors = ReturnType<typeof pc.createColors>;

const RESULT_WIDTH = 12;

/** @param now milliseconds since the epoch */
export function formatDelivery(
  url: URL,
  event: FeedEvent,
  answer: Answer,
  now: number,
  colors: Colors,
): string {
  const { text, isAccepted } = resultOf(answer);
  const result = (isAccepted ? colors.green : colors.red)(text.padEnd(RESULT_WIDTH));
  const { id } = 'return_group' in event.data ? event.data.return_group : { id: 'feed' };
  const what = `${id} #${event.data.sequence}  ${nameOf(event)}  ${describeChange(event, now)}`;
  return `${colors.dim(`→ ${url.host}`)}  ${result} ${colors.dim(`${answer.requestMs} ms`.padStart(8))}  ${what}`;
}

function resultOf(answer: Answer): { readonly text: string; readonly isAccepted: boolean } {
  if ('failure' in answer) return { text: printable(answer.failure), isAccepted: false };
  const isAccepted = answer.status >= 200 && answer.status < 300;
  return { text: `${answer.status}${isAccepted ? '' : ' refused'}`, isAccepted };
}
