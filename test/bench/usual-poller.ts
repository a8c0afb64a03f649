// The readers that most consumers of a service without webhooks write first.

export type OrdinaryKind = 'usual' | 'whole-list';

/** Those that a competent user writes: the usual one looks back 30 s, the simplest one requests the whole list. */
export const ORDINARY_KINDS: readonly OrdinaryKind[] = ['usual', 'whole-list'];

interface Habit {
  /** How far before the newest known stamp a poll begins. */
  readonly lookbackMs: number;
  /** Whether a page with fewer rows than requested is the last one; otherwise an empty one is. */
  readonly endsAtShortPage: boolean;
}

const HABITS: Readonly<Record<OrdinaryKind | 'careless', Habit>> = {
  usual: { lookbackMs: 30_000, endsAtShortPage: false },
  'whole-list': { lookbackMs: Number.POSITIVE_INFINITY, endsAtShortPage: false },
  careless: { lookbackMs: 0, endsAtShortPage: true },
};

export interface ReadRow {
  /** Milliseconds since 1970. */
  readonly updatedAtMs: number;
  /** The status of each of its entities. */
  readonly statuses: Iterable<readonly [entity: string, status: string]>;
}

/** Returns the rows of one page. */
export type AskPage = (query: Readonly<Record<string, string>>) => Promise<readonly ReadRow[]>;

/** More than the maximum of any service in use, so that pages are as large as possible. */
const ASKED_ROWS = 250;
const MOST_PAGES = 10_000;

/**
 * @param newest the newest known stamp; undefined: none, so that the first poll reads everything
 * @returns one poll
 */
export function createUsualPoller(
  kind: keyof typeof HABITS,
  ask: AskPage,
  learn: (entity: string, status: string) => void,
  newest?: number,
): () => Promise<void> {
  const { lookbackMs, endsAtShortPage } = HABITS[kind];

  return async function poll() {
    const since = (newest ?? Number.NEGATIVE_INFINITY) - lookbackMs;
    const query = Number.isFinite(since) ? { min_updated_at: new Date(since).toISOString() } : {};
    let offset = 0;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const rows = await ask({ ...query, limit: String(ASKED_ROWS), offset: String(offset) });
      for (const { updatedAtMs, statuses } of rows) {
        newest = Math.max(newest ?? updatedAtMs, updatedAtMs);
        for (const [entity, status] of statuses) learn(entity, status);
      }
      if (rows.length === 0 || (endsAtShortPage && rows.length < ASKED_ROWS)) return;
      offset += rows.length;
    }
  };
}

interface Row {
  readonly returns: readonly { readonly id: number; readonly status: string }[];
  readonly shipments: readonly { readonly id: number; readonly status: string }[];
  readonly exchange_line_items: readonly { readonly id: string; readonly status: string }[];
}

/** The statuses that one row of the service shows, by the entity's type and id. */
export function statusesOf({ returns, shipments, exchange_line_items }: Row): [string, string][] {
  return [
    ...returns.map(({ id, status }): [string, string] => [`return_line_item/${id}`, status]),
    ...shipments.map(({ id, status }): [string, string] => [`shipment/${id}`, status]),
    ...exchange_line_items.map(({ id, status }): [string, string] => [`exchange_line_item/${id}`, status]),
  ];
}
