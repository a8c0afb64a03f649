// The message of the shape `return`, for webhooks and readers: the whole return as it is at that moment, and its changes
// since the last message that was accepted, or in the reader's page. The ledger and the other destinations have none.
import * as z from 'zod';
import { exchangeLineItem, refundTransaction, returnGroup, returnLineItem, shipment } from './entities.ts';
import { EVENT_SCHEMAS, envelope, numbered } from './event.ts';

export const RETURN_CHANGED = 'return.changed';

/** The most changes that a message lists. */
export const MAX_CHANGES = 100;

const cut = z.literal(true).optional();

/** A row of `export`. */
export const wholeReturn = z.object({
  return_group: returnGroup,
  updated_at: z.string().meta({ format: 'date-time' }),
  entities: z.array(z.union([returnLineItem, shipment, exchangeLineItem, refundTransaction])).meta({
    description: 'Items, shipments, exchange items and refunds, as in the events of the same type.',
  }),
  generation: z.string(),
  sequence: z.int(),
});

/** An event in short. */
export const changeInShort = z.object({
  id: z.string(),
  type: z.string(),
  time: z.string().meta({ format: 'date-time' }),
  object_id: z.string().nullable().meta({
    description: 'The `id` of what changed, as text; of a refund its `platform_id`.',
  }),
  changed: z.array(z.string()).optional(),
  previous_attributes: z.record(z.string(), z.unknown()).optional(),
});

export const returnChanged = z.object({
  ...envelope,
  type: z.literal(RETURN_CHANGED),
  data: z.object({
    ...numbered,
    return_group: returnGroup.pick({ id: true }),
    return: wholeReturn.nullable().meta({
      description: 'The return as it is now; null after it was removed or forgotten.',
    }),
    is_new: z
      .boolean()
      .meta({ description: 'Whether the return was created in these events, listed or not.' }),
    changes: z.array(changeInShort).max(MAX_CHANGES).meta({
      description:
        'The events since the last message that was accepted, or since a page begins, the newest last. They may repeat.',
    }),
    changes_cut: cut.meta({ description: 'Only where `changes` is incomplete.' }),
    previous_cut: cut.meta({ description: 'Only where `previous_attributes` are left out.' }),
  }),
});

/** All that subscribers and webhooks can get, by type. */
export const MESSAGE_SCHEMAS = { ...EVENT_SCHEMAS, [RETURN_CHANGED]: returnChanged } as const;

export type MessageType = keyof typeof MESSAGE_SCHEMAS;
export type WholeReturn = z.output<typeof wholeReturn>;
export type ChangeInShort = z.output<typeof changeInShort>;
export type ReturnChanged = z.output<typeof returnChanged>;
