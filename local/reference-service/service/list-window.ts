// Limits how far into a list a request may read. Search engines have such limits: Algolia answers with empty pages from
// row 1,000 on, Elasticsearch refuses requests from row 10,000 on. A service may use one for some of its lists only.

import type { Knobs } from '../knobs.ts';
import type { GroupFilter } from '../store/query.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { problemWith, validationAnswer } from './validation.ts';

export interface Page extends Pick<GroupFilter, 'updated'> {
  readonly offset: number;
  readonly limit: number;
}

/** The page without the rows beyond the limit; undefined if it begins there. */
export function withinWindow<T extends Page>(page: T, { offsetMax, offsetMaxOf }: Knobs): T | undefined {
  const kind = page.updated === undefined ? 'created' : 'updated';
  const isLimited = offsetMax > 0 && (offsetMaxOf === 'all' || offsetMaxOf === kind);
  if (!isLimited) return page;
  if (page.offset >= offsetMax) return undefined;
  return { ...page, limit: Math.min(page.limit, offsetMax - page.offset) };
}

/** The answer to a page that begins beyond the limit. */
export function behindWindow({ offsetMax, offsetOver }: Knobs): Answer {
  switch (offsetOver) {
    case 'empty':
      return { ...jsonAnswer(200, []), rows: 0 };
    case 'refuse':
      return validationAnswer([problemWith('offset', `Input should be less than ${offsetMax}`, 'less_than')]);
    case 'bad-request':
      return jsonAnswer(400, { detail: 'Bad Request' });
    case 'timeout':
      return jsonAnswer(504, { message: 'Gateway Timeout' });
  }
}
