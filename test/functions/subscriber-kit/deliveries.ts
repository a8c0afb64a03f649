// Events as a queue or a bus delivers them to a Lambda function.
import type {
  LambdaContext,
  QueueEvent,
  SubscriberLog,
} from '../../../functions/subscriber-kit/subscriber-options.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { aKey, anEvent } from '../../shared/publishing/an-event.ts';

export const CONTEXT: LambdaContext = {
  functionName: 'warehouse',
  awsRequestId: 'request-1',
  getRemainingTimeInMillis: () => 30_000,
};

/** A change of a shipment's status, with this group and number. */
export function change(
  group: number,
  sequence: number,
  overrides: Partial<Record<string, unknown>> = {},
): FeedEvent {
  return { ...anEvent(aKey(group), sequence), ...overrides } as FeedEvent;
}

/** A batch of an SQS queue; each message has its event's id. */
export function batch(...events: readonly (FeedEvent | string)[]): QueueEvent {
  return {
    Records: events.map((event) =>
      typeof event === 'string'
        ? { messageId: event, body: event, attributes: { MessageGroupId: event } }
        : {
            messageId: event.id,
            body: JSON.stringify(event),
            attributes: { MessageGroupId: event.partitionkey, ApproximateReceiveCount: '1' },
          },
    ),
  };
}

/** The event as EventBridge delivers it to a rule's target. */
export function onBus(event: FeedEvent, others: Record<string, unknown> = {}) {
  return {
    version: '0',
    id: 'e1',
    source: 'returns-change-feed.acme',
    'detail-type': event.type,
    detail: event,
    ...others,
  };
}

export interface KeptLog extends SubscriberLog {
  readonly lines: {
    readonly level: string;
    readonly message: string;
    readonly fields: Record<string, unknown>;
  }[];
}

export function keepLog(): KeptLog {
  const lines: KeptLog['lines'] = [];
  const at = (level: string) => (message: string, fields: Record<string, unknown>) =>
    void lines.push({ level, message, fields });
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
