// Asks the service which return groups have a tracking number or an order name. How it matches texts is not documented
// (returns-data-service.md, "Endpoints"): each row is compared with the text again, to distinguish the same letters
// from another spelling. A row that shows nothing of the text is left out.
import { FEWEST_ROWS } from '../reading/room.ts';
import { shown } from '../returns-service/field-kinds.ts';
import type { RowReading } from '../returns-service/parse-return-group.ts';
import type { ReturnGroup } from '../returns-service/read-row.ts';
import type { Asking } from './asking.ts';

/** Pages that a search reads at most: a search for a text that two thousand groups share is of no use. */
const MOST_PAGES = 10;

export type TextFilter = { readonly orderName: string } | { readonly trackingCode: string };

/** Ids of return groups, each once. */
export interface FoundGroups {
  /** Groups that have the text to the letter. */
  readonly exact: readonly number[];
  /** Groups that have it in another spelling or within a longer text, and those whose row can't be read. */
  readonly similar: readonly number[];
  /** Whether the service's list was read to its end; if not, there may be more. */
  readonly isWhole: boolean;
}

/**
 * Returns the groups that the service shows with a text.
 *
 * @throws NotAskedError, and what requests throw
 */
export async function findGroups(asking: Asking, filter: TextFilter): Promise<FoundGroups> {
  const { requests, limit, signal } = asking;
  const exact = new Set<number>();
  const similar = new Set<number>();
  let isWhole = false;
  for (let page = 0, offset = 0; page < MOST_PAGES && !isWhole; page += 1) {
    const query = { ...filter, limit, ...(offset === 0 ? {} : { offset }) };
    const { answer } = await requests.send({ lane: 'look-ups' }, (client) =>
      client.listReturnGroups(query, { signal }),
    );
    for (const row of answer.rows) {
      const id = row.kind === 'readable' ? row.group.id : row.id;
      const match = matchOf(row, filter);
      if (id !== undefined && match !== undefined) (match === 'exact' ? exact : similar).add(id);
    }
    offset += answer.rows.length;
    // A service shows at least ten rows on a page, if it has them.
    isWhole = answer.rows.length < FEWEST_ROWS;
  }
  for (const id of exact) similar.delete(id);
  return { exact: [...exact], similar: [...similar], isWhole };
}

function matchOf(row: RowReading, filter: TextFilter): 'exact' | 'similar' | undefined {
  if (row.kind === 'unreadable') return 'similar';
  const [wanted, texts] =
    'orderName' in filter
      ? [filter.orderName, orderNamesOf(row.group)]
      : [filter.trackingCode, trackingNumbersOf(row.group)];
  if (texts.includes(wanted)) return 'exact';
  return texts.some((text) => isWithin(wanted, text)) ? 'similar' : undefined;
}

function orderNamesOf({ order }: ReturnGroup): string[] {
  return shown(order) ? [order.name].filter(shown) : [];
}

function trackingNumbersOf({ shipments }: ReturnGroup): string[] {
  return shown(shipments)
    ? shipments
        .filter(shown)
        .flatMap(({ tracking_number }) => (shown(tracking_number) ? tracking_number : []))
    : [];
}

/** Whether the text holds the wanted one, whatever their case, blanks and signs such as `#`. */
function isWithin(wanted: string, text: string): boolean {
  const letters = plainText(wanted);
  return letters === '' ? text.includes(wanted) : plainText(text).includes(letters);
}

/** The text's letters and digits, in lower case. */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
