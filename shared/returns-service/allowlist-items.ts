// All allowlist items, page by page. Neither the shape of a page nor the format of its cursor is documented, so the
// caller reads both; this file only knows when to stop.
import type { RequestOptions, ReturnsServiceClient } from './client.ts';
import { UnreadableAnswerError } from './errors.ts';

/** One answer, as the caller reads it. */
interface AllowlistReading {
  readonly items: readonly unknown[];
  /** The next cursor; undefined after the last page. */
  readonly before: string | number | undefined;
}

export interface AllowlistOptions extends RequestOptions {
  /** Reads an answer's JSON; may throw. */
  readonly read: (answer: unknown) => AllowlistReading;
  /** Items requested at once. */
  readonly limit?: number | undefined;
}

/** Nobody maintains a list longer than this. */
const MAX_PAGES = 10_000;

/**
 * The items, unchanged and in the service's order. Ends with an empty page or one without a cursor.
 *
 * @throws {UnreadableAnswerError} if a cursor repeats, because the list would then never end
 */
export async function* iterateAllowlistItems(
  client: ReturnsServiceClient,
  { read, limit, signal }: AllowlistOptions,
): AsyncGenerator<unknown, void, undefined> {
  const asked = new Set<string | number>();
  let before: string | number | undefined;
  while (asked.size < MAX_PAGES) {
    const { answer, date } = await client.listAllowlistItems({ before, limit }, { signal });
    const page = read(answer);
    yield* page.items;
    before = page.before;
    if (before === undefined || page.items.length === 0) return;
    if (asked.has(before)) {
      throw new UnreadableAnswerError('The list of allowlist items leads back to where it was.', { date });
    }
    asked.add(before);
  }
  throw new UnreadableAnswerError(`The list of allowlist items has more than ${MAX_PAGES} pages.`, {});
}
