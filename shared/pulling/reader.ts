// A reader: a URL of the pull feed. What it shows is fixed when it is added, so that an offset never changes its meaning.
import * as z from 'zod';
import { eventFilter } from '../contract/event-filter.ts';
import { MESSAGE_SHAPES } from '../deployment/message-shape.ts';

/** As the names of sources. */
export const READER_NAME = /^[a-z0-9-]{1,30}$/;

export const readerBody = z.object({
  filter: eventFilter,
  /** @default event */
  shape: z.enum(MESSAGE_SHAPES).optional(),
  /** Hashes of the tokens, the newest first: two are valid while a token is replaced. */
  tokens: z.array(z.string()),
  /** The offset that it last asked from, noted once a minute: it has what is before. Undefined for the beginning. */
  lastOffset: z.string().optional(),
  /** When that was, in microseconds since the epoch. */
  readAt: z.number().optional(),
  /** How long an event may wait for it, in milliseconds; undefined if it may read whenever it likes. */
  alarmAfterMs: z.number().optional(),
});

/** A reader as it is stored. */
export type Reader = z.output<typeof readerBody>;

const VALID_TOKENS = 2;

/** The reader with a new token; the one before stays valid, older ones do not. */
export function withToken(reader: Reader, tokenHash: string): Reader {
  return { ...reader, tokens: [tokenHash, ...reader.tokens].slice(0, VALID_TOKENS) };
}

/** Where the readers of a feed are stored. */
export interface Readers {
  /** All by name, sorted. A change of a moment ago may not show yet. */
  list(): Promise<ReadonlyMap<string, Reader>>;
  /** Strongly consistent. */
  load(name: string): Promise<Reader | undefined>;
  /** @returns false if a reader has the name */
  add(name: string, reader: Reader): Promise<boolean>;
  /** @returns the changed reader, undefined if there is none */
  change(name: string, to: (reader: Reader) => Reader): Promise<Reader | undefined>;
  /** @returns false if there is none */
  remove(name: string): Promise<boolean>;
}
