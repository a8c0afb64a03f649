// The parameters of a list of return groups (returns-data-service.md, "GET /v2/return-groups").

/** All optional, in any combination. How texts are matched and whether bounds include is not documented. */
export interface ReturnGroupsQuery {
  readonly returnGroupId?: number | undefined;
  readonly email?: string | undefined;
  /** The service's own id of the order. */
  readonly orderId?: number | undefined;
  readonly orderName?: string | undefined;
  readonly trackingCode?: string | undefined;
  /** Bounds are sent as they are, in the form that the service's own stamps have. */
  readonly minCreatedAt?: string | undefined;
  readonly maxCreatedAt?: string | undefined;
  readonly minUpdatedAt?: string | undefined;
  readonly maxUpdatedAt?: string | undefined;
  readonly minShippedAt?: string | undefined;
  readonly maxShippedAt?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Maps each field of a query to the parameter's name. */
const PARAMETERS = {
  returnGroupId: 'return_group_id',
  email: 'email',
  orderId: 'order_id',
  orderName: 'order_name',
  trackingCode: 'tracking_code',
  minCreatedAt: 'min_created_at',
  maxCreatedAt: 'max_created_at',
  minUpdatedAt: 'min_updated_at',
  maxUpdatedAt: 'max_updated_at',
  minShippedAt: 'min_shipped_at',
  maxShippedAt: 'max_shipped_at',
  limit: 'limit',
  offset: 'offset',
} as const satisfies Record<keyof ReturnGroupsQuery, string>;

/** The values that identify a customer, an order or a parcel; they must not show in an error. */
export function personalValuesOf(query: ReturnGroupsQuery): string[] {
  return [query.email, query.orderName, query.trackingCode].filter((value) => value !== undefined);
}

/** Parameters without personal values: the service's messages on them may be shown. */
export const HARMLESS_PARAMETERS: ReadonlySet<string> = new Set(
  Object.values(PARAMETERS).filter((name) => !/^(?:email|order_name|tracking_code)$/.test(name)),
);

/** The query as text, with its `?`; empty for an empty query. */
export function encodeReturnGroupsQuery(query: ReturnGroupsQuery): string {
  const names = Object.keys(PARAMETERS) as (keyof ReturnGroupsQuery)[];
  return encodeParameters(names.map((name) => [PARAMETERS[name], query[name]]));
}

/**
 * Percent-encodes everything with a meaning: depending on the reader, a bare `+`, as in `+02:00`, would arrive as a
 * space, and a space written as `+` as a plus.
 */
export function encodeParameters(
  parameters: readonly (readonly [string, string | number | undefined])[],
): string {
  const pairs: string[] = [];
  for (const [name, value] of parameters) {
    if (value !== undefined) pairs.push(`${name}=${encodeURIComponent(wellFormed(String(value)))}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Half a surrogate pair can't be encoded at all. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}');
}
