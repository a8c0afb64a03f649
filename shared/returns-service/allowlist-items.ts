// All allowlist items, page by page. Neither the shape of a page nor the format of its cursor is documented, so
// that the caller says where both stand; what can be known here is when to stop.
import type { RequestOptions, ReturnsServiceClient } from './client.ts';
import { UnreadableAnswerError } from './errors.ts';

/** What one answer holds, by the caller's knowledge of the service. */
interface AllowlistReading {
  readonly items: readonly unknown[];
  /** What to ask for next; undefined after the last page. */
  readonly before: string | number | undefined;
}

export interface AllowlistOptions extends RequestOptions {
  /** Reads an answer as the service gave it; may throw. */
  readonly read: (answer: unknown) => AllowlistReading;
  /** Items asked for at once. */
  readonly limit?: number | undefined;
}

/** A list that goes on beyond is none that anyone maintains. */
const MAX_PAGES = 10_000;

/**
 * The items as they are, in the order they come in. Ends with an empty page or one without a cursor.
 *
 * @throws {UnreadableAnswerError} when a cursor comes again, for then the list would never end.
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
