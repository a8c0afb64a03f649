// The options of a subscriber, and the arguments of its handlers. Names no type of Lambda, Powertools or the SDK, so
// that importing the kit requires none of their types.
import type { EventOf, EventType } from '../../shared/contract/event.ts';
import type { RETURN_CHANGED, ReturnChanged } from '../../shared/contract/return-message.ts';
import type { SubscriberMemory } from './subscriber-memory.ts';

/**
 * Handlers by event type. After a failure (a throw, a rejection) the event is delivered again, and on the ordered queue
 * the later events of its return group wait for it.
 */
export type Handlers = {
  readonly [Type in EventType]?: (event: EventOf<Type>, context: HandlerContext) => unknown;
} & {
  /** Gets whole returns, of a webhook with the shape `return`; none that is older than one before. */
  readonly [RETURN_CHANGED]?: (message: ReturnChanged, context: HandlerContext) => unknown;
};

export interface HandlerContext {
  /** In a webhook's receiver: the receiver's name, the request's `webhook-id`, and what is left of `longestRunMs`. */
  readonly lambda: LambdaContext;
  /** The event's position: of two events with the same subject, the newer one's text sorts later. */
  readonly position: string;
  /** Whether a newer event of the same subject was handled before. Only true with `stale: 'handle'` or in a replay. */
  readonly stale: boolean;
  /** The replay that sent it again; undefined for an ordinary delivery. */
  readonly replayId: string | undefined;
  /** Counts a queue's deliveries of this message from 1, including failed ones; always 1 elsewhere. */
  readonly attempt: number;
}

export interface SubscriberOptions {
  readonly on: Handlers;
  /** Gets the events without a handler: other types, newer versions. @default they are skipped */
  readonly otherwise?: (event: OtherEvent, context: HandlerContext) => unknown;
  /**
   * A DynamoDB table (partition key `id`, a string; time to live `expiration`) that remembers handled events for 30
   * days: a repeated delivery does not run the handler again, and all processes recognize stale events. Several
   * subscribers may share it. Requires the peers `@aws-lambda-powertools/idempotency` and `@aws-sdk/*`.
   *
   * @default none: each process remembers the latest 10,000, so duplicates and stale events may still come through
   */
  readonly tableName?: string;
  /** A memory other than a table. */
  readonly memory?: SubscriberMemory;
  /** The subscriber's name in a shared table. @default the name of the Lambda function */
  readonly name?: string;
  /**
   * How to treat a replay's events. `ignore` that it is a replay: handled events are not handled again, missed ones
   * are, unless they are stale. `reprocess`: handle each again, once per replay, stale or not. `skip`: handle none.
   *
   * @default 'ignore'
   */
  readonly replays?: 'ignore' | 'reprocess' | 'skip';
  /**
   * How to treat an event when a newer one of the same subject was handled before: `drop` it, or `handle` it with
   * `context.stale`. Subscribers that count every change, instead of keeping the latest state, need `handle`.
   *
   * @default 'drop'
   */
  readonly stale?: 'drop' | 'handle';
  /**
   * Set it if this subscriber gets every event of every group, so that a missing number is a missing event; `onGap`
   * gets the gaps. Needs a memory. On the bus, which has no order, a gap may still be filled. @default false
   */
  readonly unfiltered?: boolean;
  /** @default a warning in the log */
  readonly onGap?: (gap: Gap) => unknown;
  /** Called with the outcome of each delivered event, for metrics; a message that is no event fails without it. */
  readonly onOutcome?: (outcome: Outcome, event: OtherEvent) => void;
  /** @default the console */
  readonly log?: SubscriberLog;
}

/** An event of which only the envelope is checked. */
export interface OtherEvent {
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly dataschema: string;
  readonly partitionkey: string;
  readonly replayid?: string | undefined;
  readonly data: unknown;
}

/** Numbers of one group, both ends included, that this subscriber never received. */
export interface Gap {
  /** `<source>/<return group id>`; on the bus also `<source>/feed`, for the feed's own events. */
  readonly partitionkey: string;
  readonly generation: string;
  readonly from: number;
  readonly to: number;
}

/**
 * `handled`, by a handler or `otherwise`; `repeated`, `stale` and `replay`, not handled for that reason; `unhandled`,
 * `unknown_type` and `newer_version`, skipped; `failed`, will be delivered again.
 */
export type Outcome =
  | 'handled'
  | 'repeated'
  | 'stale'
  | 'replay'
  | 'unhandled'
  | 'unknown_type'
  | 'newer_version'
  | 'failed';

/** The common interface of Powertools' Logger and the console. */
export interface SubscriberLog {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** The needed part of Lambda's context. */
export interface LambdaContext {
  readonly functionName: string;
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** The needed part of the event that Lambda makes from a queue's messages. */
export interface QueueEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly attributes?: {
      readonly MessageGroupId?: string | undefined;
      readonly ApproximateReceiveCount?: string | undefined;
    };
  }[];
}

/** The failed messages; Lambda ignores them unless the event source mapping has ReportBatchItemFailures. */
export interface QueueResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** The needed part of an event from a bus. */
export interface BusEvent {
  readonly 'detail-type': string;
  readonly detail: unknown;
  /** Set by EventBridge in a replay of its own archive. */
  readonly 'replay-name'?: string | undefined;
}
