// A source's state as the table holds it: `n` its version, `b` the rest as a body.
import * as z from 'zod';
import type { SourceState } from '../../shared/source-state.ts';
import { bytesValue, type StoredItem, storedBytes, storedNumber } from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

const FORMAT = 1;

export function sourceStateKey(source: string): string {
  return `source/${source}`;
}

/** All but key and version. */
export function toSourceStateAttributes({ source, version, ...rest }: SourceState): StoredItem {
  return { ...formatAttribute(FORMAT), b: bytesValue(encodeBody(rest)) };
}

/** @throws UnreadableItemError */
export function fromSourceStateItem(item: StoredItem, source: string): SourceState {
  try {
    return readStored(item, { [FORMAT]: (stored) => readFormat1(stored, source) });
  } catch (error) {
    throw new UnreadableItemError(`The state of source "${source}" can't be read.`, { cause: error });
  }
}

function readFormat1(item: StoredItem, source: string): SourceState {
  const { n: version, b: body } = format1.parse(item);
  return { source, version, ...body1.parse(decodeBody(body)) };
}

const format1 = z.object({ n: storedNumber, b: storedBytes });

const instant = z.number();
/** JSON leaves out what is undefined. */
const maybeInstant = instant.optional().transform((value) => value);

const body1: z.ZodType<Omit<SourceState, 'source' | 'version'>> = z.object({
  generation: z.string(),
  mintedIn: z.string(),
  startedAt: instant,
  settledThrough: instant,
  lastSlot: z.number(),
  lease: z.object({ owner: z.string(), epoch: z.int(), expiresAt: instant }),
  stamps: z.object({
    zoned: z.boolean(),
    precision: z.int(),
    lead: z.number(),
    leads: z.array(z.object({ groupId: z.int(), lead: z.number() })),
    newest: maybeInstant,
    newestReceivedAt: instant,
  }),
  baseline: z.object({
    mode: z.enum(['silent', 'emit']),
    status: z.enum(['running', 'completed']),
    startedAt: instant,
    coveredThrough: maybeInstant,
    rangeWidth: z.number(),
    groups: z.int(),
    requests: z.int(),
  }),
  reconciliation: z.object({
    cycle: z.int(),
    cycleStartedAt: instant,
    coveredThrough: maybeInstant,
    rangeWidth: z.number(),
    lastCompletedAt: maybeInstant,
  }),
  feedSequence: z.int(),
  health: z.object({
    lastSettledAt: instant,
    degradedSince: maybeInstant,
    reasons: z.array(z.object({ code: z.string(), message: z.string() })),
    restUntil: instant,
    refusals: z.int(),
  }),
  driftTold: z.array(z.string()),
  pageLimit: z.number(),
  fullPageSeen: z.boolean(),
  pagesPerTick: z.number(),
  setAside: z.array(
    z.object({
      groupId: z
        .int()
        .optional()
        .transform((value) => value),
      reason: z.string(),
      digest: z.string(),
      since: instant,
    }),
  ),
});
