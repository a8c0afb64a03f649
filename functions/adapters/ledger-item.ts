// An event as the ledger stores it: `k` its group's key, `n` its number, `b` the event as a body, `x` the second after
// which DynamoDB may delete it. It is read exactly as it was written: fields that a later release added belong to the
// event, and the same id must always carry the same content.
import * as z from 'zod';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { formatEventId } from '../../shared/contract/event-id.ts';
import { DAY, type Instant, SECOND } from '../../shared/instant.ts';
import { LEDGER_RETENTION, READ_RETENTION } from '../../shared/limits.ts';
import type { GroupKey, LedgerEntry } from '../../shared/ports.ts';
import { formatGroupKey } from '../../shared/recording/group-key.ts';
import { numberValue, type StoredItem, storedBytes } from './attribute-values.ts';
import { decodeBody, encodeBody } from './stored-body.ts';
import { formatAttribute, readStored, UnreadableItemError } from './stored-format.ts';

const FORMAT = 1;

/** @param expires see {@link expiry}; without it the event is kept permanently */
export function toLedgerItem(key: GroupKey, event: FeedEvent, expires?: number): StoredItem {
  return {
    k: { S: formatGroupKey(key) },
    n: numberValue(event.data.sequence),
    ...formatAttribute(FORMAT),
    ...(expires === undefined ? {} : { x: numberValue(expires) }),
    b: { B: encodeBody(event) },
  };
}

/** In seconds, at the end of a day, so that an event written again on the same day is the same item. */
export function expiry(now: Instant): number {
  return (Math.ceil((now + LEDGER_RETENTION) / DAY) * DAY) / SECOND;
}

/** In seconds, for a report of what is read. */
export function expiryOfRead(now: Instant): number {
  return Math.ceil((now + READ_RETENTION) / SECOND);
}

export function fromLedgerItem(item: StoredItem, key: GroupKey): LedgerEntry {
  const sequence = Number(item.n?.N);
  try {
    return {
      sequence,
      event: readStored(item, { [FORMAT]: (stored) => readFormat1(stored, key, sequence) }),
    };
  } catch (error) {
    if (error instanceof UnreadableItemError) return { sequence, undecodable: error.message };
    throw error;
  }
}

function readFormat1(item: StoredItem, key: GroupKey, sequence: number): FeedEvent {
  const body = storedBytes.safeParse(item.b).data;
  if (body === undefined) throw new UnreadableItemError('it has no body');
  const event = decodeBody(body);
  const problem = envelope.safeParse(event).error?.issues[0];
  if (problem !== undefined)
    throw new UnreadableItemError(`its body is no event, see "${problem.path.join('.')}"`);
  const { id } = event as FeedEvent;
  if (id !== formatEventId({ ...key, sequence })) throw new UnreadableItemError('its body is another event');
  return event as FeedEvent;
}

/** The fields that the destinations use. The data is not checked: a later release may have written it. */
const envelope = z.object({
  specversion: z.literal('1.0'),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  partitionkey: z.string(),
  data: z.object({ generation: z.string(), sequence: z.int() }),
});
