// What a `watch` reads, and who gets the events: of a command line, or of a configuration that may change.
import type { ConfiguredSource } from '../../functions/poller/source-sessions.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import type { ContentType } from '../../shared/deployment/content-type.ts';
import type { MessageShape } from '../../shared/deployment/message-shape.ts';
import type { GivenOption } from '../store/documents.ts';

/** What is watched, and who gets the events. */
export interface WatchPlan {
  /** Each name once. */
  readonly sources: readonly WatchedSource[];
  readonly receivers: readonly Receiver[];
}

/** A source to poll. */
export interface WatchedSource extends ConfiguredSource {
  /** Where in a rhythm its polls lie, from 0 to 1: many sources are not polled at the same moment. @default 0 */
  readonly spread?: number | undefined;
  /** Whether the source may have another address than in its state. @default false */
  readonly isMoved?: boolean | undefined;
  /** The options of the command line, for the directory to remember. @default they are not noted */
  readonly given?: readonly GivenOption[] | undefined;
}

/** A URL that gets each event. */
export interface Receiver {
  readonly url: URL;
  readonly filter: EventFilter;
  readonly contentType: ContentType | undefined;
  /** @default 'event' */
  readonly shape?: MessageShape | undefined;
  /** A signing secret as text. @default the one that the data directory keeps */
  readonly secret: string | undefined;
}
