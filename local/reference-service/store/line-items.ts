// Returned and exchanged items, with their products and prices.

import type { Instant } from '../../../shared/instant.ts';
import { NOTES, REASONS } from './catalogue.ts';
import { exchangeId, lineItemId } from './identities.ts';
import { someProduct } from './products.ts';
import type { Random } from './seeded-random.ts';
import type { StoredAnswer, StoredExchange, StoredLineItem } from './stored-group.ts';

export interface ItemContext {
  readonly groupId: number;
  readonly createdAt: Instant;
  readonly presentment: 'USD' | 'EUR';
  readonly random: Random;
}

/** The fields that depend on the item's progress. */
export type ItemProgress = Pick<
  StoredLineItem,
  'status' | 'shipment_id' | 'platform_refund_transaction_ids' | 'last_rma_number' | 'last_rma_provider'
>;

/** A returned item at a place (0, 1, …) of its group. */
export function newLineItem(place: number, progress: ItemProgress, context: ItemContext): StoredLineItem {
  const { groupId, random } = context;
  const id = lineItemId(groupId, place);
  const quantity = random.chance(0.12) ? 2 : 1;
  return {
    id,
    product: someProduct(random, quantity, context.presentment),
    quantity,
    ...progress,
    platform_id: random.chance(0.7) ? `gid://platform/Return/${id + 7_000_000}` : null,
    created_at: context.createdAt,
    platform_line_item_id: `gid://platform/LineItem/${id + 11_000_000}`,
    barcode: random.chance(0.6) ? String(4_006_381_000_000 + random.below(333_000)) : null,
    reason: { ...random.pick(REASONS), note: random.chance(0.3) ? random.pick(NOTES) : null },
    questions_answers: random.chance(0.2) ? [someAnswer(random)] : [],
  };
}

export function newExchange(place: number, context: ItemContext): StoredExchange {
  return {
    id: exchangeId(context.groupId, place),
    product: someProduct(context.random, 1, context.presentment),
    quantity: 1,
    status: 'UNPROCESSED',
    line_item_platform_id: null,
  };
}

function someAnswer(random: Random): StoredAnswer {
  return random.chance(0.5)
    ? {
        question_text: 'Has it been worn?',
        question_description: '',
        question_type: 'SELECT',
        answers: [random.pick(['Never', 'Once', 'More often'])],
      }
    : {
        question_text: 'What can we do better?',
        question_description: 'A sentence is enough.',
        question_type: 'TEXT',
        answers: [random.pick(NOTES)],
      };
}
