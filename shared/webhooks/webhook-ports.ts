// The ports of a webhook's sender, besides those that it shares with the relays.
import type { Instant } from '../instant.ts';
import type { GroupKey, Marks, SaveResult } from '../ports.ts';
import type { EndpointState } from './endpoint-state.ts';

/** Posts one event, signed. The signal ends an attempt without an answer, as its time limit does. */
export type Post = (request: PostRequest, signal?: AbortSignal) => Promise<Answer>;

export interface PostRequest {
  /** The header `webhook-id`: the same for every attempt. */
  readonly id: string;
  /** The event as JSON: the same bytes for every attempt. */
  readonly body: string;
}

export type Answer =
  | {
      readonly status: number;
      /** The header Retry-After, unchanged. */
      readonly retryAfter: string | undefined;
      readonly requestMs: number;
    }
  /** No answer came. The failure names the cause, such as `timeout` or `ECONNREFUSED`. */
  | { readonly failure: string; readonly requestMs: number };

/** The state of each endpoint, which all its senders share. */
export interface EndpointStates {
  /** Strongly consistent; undefined before the first save. */
  load(webhook: string): Promise<EndpointState | undefined>;
  /** Writes the state if the stored version still is `expectedVersion` (0: if there is none), as the next version. */
  save(webhook: string, state: EndpointState, expectedVersion: number): Promise<SaveResult>;
}

/** How far a webhook got with a group, and since when its next event fails. */
export interface WebhookPosition {
  /** The number of the last event that was accepted or passed over; undefined before the first. */
  readonly sequence: number | undefined;
  readonly failingSince: Instant | undefined;
  /** See {@link Rejection.until}; undefined unless the last answer to the next event was about its content. */
  readonly rejectedUntil: Instant | undefined;
}

export interface WebhookMarks extends Marks {
  position(webhook: string, key: GroupKey): Promise<WebhookPosition>;
  /**
   * Notes that the group's next event fails, and why. {@link Marks.advance} removes the note.
   *
   * @returns since when it fails. Undefined, and no note, if the mark has passed the event: another sender was faster.
   */
  noteFailing(webhook: string, key: GroupKey, failure: NextFailure): Promise<Failing | undefined>;
}

export interface Failing {
  /** When the first note since the mark moved was made. */
  readonly since: Instant;
  /** When the first of the latest notes in a row about the content was made; undefined if the last one was not. */
  readonly contentSince: Instant | undefined;
}

export interface NextFailure {
  /** The number of the event that failed. */
  readonly sequence: number;
  readonly reason: string;
  readonly at: Instant;
  /** Defined if the endpoint rejected the event's content. */
  readonly rejection?: Rejection | undefined;
}

export interface Rejection {
  /** Whether it goes on with the rejections before it; otherwise `contentSince` begins anew. */
  readonly continues: boolean;
  /** A rejection after this moment does not go on with this one: the event was not tried again in time. */
  readonly until: Instant;
}
