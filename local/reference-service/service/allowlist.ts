// GET /v2/allowlist-items: a cursor-paged list, newest first. The document only lists its parameters `before` and
// `limit`; it is this service's own choice that `before` takes the id of the last item of the previous page.

import { DAY, type Instant } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import { stampFormsOf } from '../showing/stamp-form.ts';
import { FIRST_NAMES } from '../store/catalogue.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { pageLimit } from './page-limit.ts';
import { createParameterReader, problemWith, validationAnswer } from './validation.ts';

interface AllowlistContext {
  readonly knobs: Knobs;
  readonly age: Instant;
  readonly openedAt: Instant;
}

export function answerAllowlistItems(
  parameters: URLSearchParams,
  { knobs, age, openedAt }: AllowlistContext,
): Answer {
  const stamps = stampFormsOf(knobs);
  const read = createParameterReader(parameters, stamps);
  const limit = pageLimit(read.integer('limit', 0), knobs, age);
  const before = read.text('before');
  const number = before === undefined ? knobs.allowlistItems + 1 : numberOf(before, knobs.allowlistItems);
  const problems = [...read.problems];
  if (typeof limit !== 'number') problems.push(limit);
  if (number === undefined)
    problems.push(problemWith('before', 'Value error, no such cursor', 'value_error'));
  if (typeof limit !== 'number' || number === undefined || problems.length > 0)
    return validationAnswer(problems);

  const count = Math.max(0, Math.min(limit, number - 1));
  const items = Array.from({ length: count }, (_, place) => {
    const item = number - 1 - place;
    const name = FIRST_NAMES[item % FIRST_NAMES.length] ?? 'Ada';
    return {
      type: 'allowlist_item',
      id: idOf(item),
      email: `${name.toLowerCase()}.${item}@example.com`,
      created_at: stamps.other.write(openedAt - (knobs.allowlistItems - item + 1) * DAY),
    };
  });
  return { ...jsonAnswer(200, items), rows: items.length };
}

function idOf(item: number): string {
  return `alw_${String(item).padStart(6, '0')}`;
}

function numberOf(cursor: string, items: number): number | undefined {
  const number = Number(/^alw_(\d{1,6})$/.exec(cursor)?.[1] ?? Number.NaN);
  return number >= 1 && number <= items ? number : undefined;
}
