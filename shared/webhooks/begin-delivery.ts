// Where a webhook begins with a group: a new webhook does not get events from before its start. Only senders set this
// beginning, and the sweep where the numbers before it are missing from the ledger. The queue gives them the messages
// of a group one after the other, so none can begin after an event whose message is still in the queue.
import type { GroupKey, Ledger } from '../ports.ts';
import type { Endpoint } from './endpoint.ts';
import { firstEventSince } from './first-event.ts';
import type { WebhookMarks, WebhookPosition } from './webhook-ports.ts';

export interface BeginPorts {
  readonly webhook: string;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly marks: WebhookMarks;
}

/** Returns the group's position; sets the mark of a group that has none to the event before its first. */
export async function beginDelivery(
  { ledger, marks, webhook }: BeginPorts,
  endpoint: Pick<Endpoint, 'load'>,
  { key, sequence }: { readonly key: GroupKey; readonly sequence: number },
): Promise<WebhookPosition> {
  const position = await marks.position(webhook, key);
  if (position.sequence !== undefined) return position;
  const { startedAt } = await endpoint.load();
  // The event that rang was published to this webhook, whatever the clocks say.
  const first = Math.min(sequence, (await firstEventSince(ledger, key, startedAt)).sequence);
  await marks.advance(webhook, key, first - 1);
  return { sequence: first - 1, failingSince: undefined, rejectedUntil: undefined };
}
