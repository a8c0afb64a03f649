// The poller that most consumers of a service without webhooks write first: each minute it requests everything updated
// since the newest known stamp, with the largest page, and treats a short page as the last one.
import type { Answer, ServiceRequest } from '../../local/reference-service/service/answer.ts';

const ASKED_ROWS = 250;
const MOST_PAGES = 100;

export interface UsualPoller {
  poll(): void;
  /** The last status it saw, by the entity's type and id. */
  readonly statuses: ReadonlyMap<string, string>;
}

export function createUsualPoller(ask: (request: ServiceRequest) => Answer, token: string): UsualPoller {
  const statuses = new Map<string, string>();
  let since: string | undefined;
  return {
    statuses,
    poll() {
      let newest = since;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = new URLSearchParams({ limit: String(ASKED_ROWS), offset: String(page * ASKED_ROWS) });
        if (since !== undefined) query.set('min_updated_at', since);
        const rows = rowsOf(ask({ path: '/v2/return-groups', query, token }));
        for (const row of rows) {
          if (newest === undefined || Date.parse(row.updated_at) > Date.parse(newest))
            newest = row.updated_at;
          for (const [key, status] of statusesOf(row)) statuses.set(key, status);
        }
        if (rows.length < ASKED_ROWS) break;
      }
      since = newest;
    },
  };
}

interface Row {
  readonly updated_at: string;
  readonly returns: readonly { readonly id: number; readonly status: string }[];
  readonly shipments: readonly { readonly id: number; readonly status: string }[];
  readonly exchange_line_items: readonly { readonly id: string; readonly status: string }[];
}

/** The rows of an answer. @throws Error if it has none */
export function rowsOf({ status, body }: Answer): Row[] {
  if (status !== 200) throw new Error(`The service answered ${status}: ${body}`);
  return JSON.parse(body);
}

/** The statuses that one row of the service shows, by the entity's type and id. */
export function statusesOf({
  returns,
  shipments,
  exchange_line_items,
}: Omit<Row, 'updated_at'>): [string, string][] {
  return [
    ...returns.map(({ id, status }): [string, string] => [`return_line_item/${id}`, status]),
    ...shipments.map(({ id, status }): [string, string] => [`shipment/${id}`, status]),
    ...exchange_line_items.map(({ id, status }): [string, string] => [`exchange_line_item/${id}`, status]),
  ];
}
