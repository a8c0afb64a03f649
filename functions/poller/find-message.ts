// A question of an operator to the poller, by a direct invocation, and the poller's answer. Ids and allowlisted fields
// are all that it ever holds.
import * as z from 'zod';
import { SOURCE_NAME } from '../../shared/contract/event-id.ts';
import type { FoundGroups } from '../../shared/finding/find-groups.ts';
import { storedProjection } from '../adapters/snapshot-item.ts';
import type { AnswerWithSettle } from './create-finder.ts';

/** Longer than any order name or tracking number, and short enough for a URL. */
const LONGEST_TEXT = 500;

const source = z.string().regex(SOURCE_NAME, 'must be the name of a source');
const text = z
  .string()
  .min(1, 'must not be empty')
  .max(LONGEST_TEXT, `must have at most ${LONGEST_TEXT} characters`);
const id = z.int().nonnegative();

export const question = z.union([
  z.strictObject({ source, tracking_code: text }),
  z.strictObject({ source, order_name: text }),
  z.strictObject({ source, group: id }),
]);

export type Question = z.output<typeof question>;

/** The payload of the invocation. */
export interface FindMessage {
  readonly find: Question;
}

const asked = { sentAt: z.number(), receivedAt: z.number(), settleMs: z.number() };

const found = z.object({ exact: z.array(id), similar: z.array(id), isWhole: z.boolean() });

const present = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('shown'),
    createdAt: z.number(),
    updatedAt: z.number(),
    projection: storedProjection,
    ...asked,
  }),
  z.object({ kind: z.literal('absent'), ...asked }),
  z.object({ kind: z.literal('unreadable'), reason: z.string(), ...asked }),
]);

/** The poller's answer. A failed search is an answer, too: a failed invocation would count as the poller's failure. */
export type FindAnswer =
  | { readonly found: FoundGroups }
  | { readonly present: AnswerWithSettle }
  | { readonly error: string };

export const findAnswer: z.ZodType<FindAnswer> = z.union([
  z.object({ found }),
  z.object({ present }),
  z.object({ error: z.string() }),
]);
