// A stream of content that is read from an offset on. The part of the Durable Streams protocol that reads, apart from
// HTTP: https://github.com/durable-streams/durable-streams, PROTOCOL.md, sections 5 and 8.

/** A piece of a stream. */
export interface Piece {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Whether the body has nothing of the stream. */
  readonly isEmpty: boolean;
  /** Names the body; undefined where the same offset may have another one later. */
  readonly etag: string | undefined;
  /** The offset to go on from. */
  readonly next: string;
  /** Whether the stream had nothing beyond it. */
  readonly isUpToDate: boolean;
}

export interface PullStream {
  readonly contentType: string;
  /** The body of a piece with nothing of the stream. */
  readonly nothing: Uint8Array<ArrayBuffer>;
  /** The offset behind all content. */
  end(): Promise<string>;
  /**
   * @param offset undefined for the first content that is kept
   * @param limit most messages; undefined for as many as the stream gives at once
   * @returns `unknown` for an offset that this stream never gave, `expired` for one whose next content is not kept
   */
  read(offset: string | undefined, limit?: number): Promise<Piece | 'unknown' | 'expired'>;
  /** Resolves when there may be content beyond what was read before, or the signal aborts. */
  change(signal: AbortSignal): Promise<void>;
}
