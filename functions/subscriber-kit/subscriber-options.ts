// What a subscriber is asked for, and what its handlers are given. No type of Lambda, Powertools or the SDK is named
// here: who imports the kit needs none of their types.
import type { EventOf, EventType } from '../../shared/contract/event.ts';
import type { SubscriberMemory } from './subscriber-memory.ts';

/**
 * Handlers by the type of event. A failure (a throw, a rejection) has the event delivered again, and on the ordered
 * queue holds back the later ones of its return group until then.
 */
export type Handlers = {
  readonly [Type in EventType]?: (event: EventOf<Type>, context: HandlerContext) => unknown;
};

export interface HandlerContext {
  readonly lambda: LambdaContext;
  /** Where the event stands: of two events with the same subject the newer one's text sorts later. */
  readonly position: string;
  /** A newer event of the same subject was handled before. Only ever true under `stale: 'handle'` or in a replay. */
  readonly stale: boolean;
  /** The replay that sent it once more; undefined for an ordinary delivery. */
  readonly replayId: string | undefined;
  /** 1 at first; counts a queue's deliveries of this message, those that failed included. */
  readonly attempt: number;
}

export interface SubscriberOptions {
  readonly on: Handlers;
  /** Gets what no handler is there for: other types, newer versions. @default they are passed over */
  readonly otherwise?: (event: OtherEvent, context: HandlerContext) => unknown;
  /**
   * A DynamoDB table (partition key `id`, a string; time to live `expiration`) that remembers what was handled: an
   * event runs its handler once though it is delivered twice, for 30 days, and stale ones are known across processes.
   * Several subscribers may share it. Takes the peers `@aws-lambda-powertools/idempotency` and `@aws-sdk/*`.
   *
   * @default none: each process remembers the latest 10,000, so duplicates and stale events still come through
   */
  readonly tableName?: string;
  /** Another memory than a table. */
  readonly memory?: SubscriberMemory;
  /** Whose memory it is, where several subscribers share a table. @default the name of the Lambda function */
  readonly name?: string;
  /**
   * What to do with a replay's events. `ignore` that it is one: what was handled is not handled again, what was missed
   * is, unless it is stale. `reprocess`: handle each once more, once per replay, stale or not. `skip`: handle none.
   *
   * @default 'ignore'
   */
  readonly replays?: 'ignore' | 'reprocess' | 'skip';
  /**
   * What to do with an event when a newer one of the same subject was handled before: `drop` it, or `handle` it with
   * `context.stale`, for who counts every change rather than keeps the latest state.
   *
   * @default 'drop'
   */
  readonly stale?: 'drop' | 'handle';
  /**
   * Says that this subscriber gets every event of every group, so that a missing number is a missing event; gaps are
   * told to `onGap`. Needs a memory. On the bus, which has no order, a gap may still be filled. @default false
   */
  readonly unfiltered?: boolean;
  /** @default a warning in the log */
  readonly onGap?: (gap: Gap) => unknown;
  /** Told what became of each delivery, for metrics. */
  readonly onOutcome?: (outcome: Outcome, event: OtherEvent) => void;
  /** @default the console */
  readonly log?: SubscriberLog;
}

/** An event of which only the envelope is known to be as it should. */
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

/** Numbers of one group, both included, that were never handed to this subscriber. */
export interface Gap {
  /** `<source>/<return group id>`. */
  readonly partitionkey: string;
  readonly generation: string;
  readonly from: number;
  readonly to: number;
}

/**
 * `handled`, by a handler or `otherwise`; `repeated`, `stale` and `replay`, not handled for that reason;
 * `unhandled`, `unknown_type` and `newer_version`, passed over; `failed`, and will come again.
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

/** What Powertools' Logger and the console both are. */
export interface SubscriberLog {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

/** What is needed of Lambda's context. */
export interface LambdaContext {
  readonly functionName: string;
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** What is needed of the event that Lambda makes of a queue's messages. */
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

/** The messages that failed; the mapping must have ReportBatchItemFailures, else Lambda does not heed them. */
export interface QueueResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** What is needed of an event as a bus hands it on. */
export interface BusEvent {
  readonly 'detail-type': string;
  readonly detail: unknown;
  /** Set by EventBridge when its own archive is replayed. */
  readonly 'replay-name'?: string | undefined;
}
