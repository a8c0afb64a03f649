// The parameters of a list of return groups (returns-data-service.md, "GET /v2/return-groups").

/** The parameter of each field of a query. */
const PARAMETERS = {
  returnGroupId: 'return_group_id',
  email: 'email',
  /** The service's own id of the order. */
  orderId: 'order_id',
  orderName: 'order_name',
  trackingCode: 'tracking_code',
  /** Bounds are sent as they are, in the form that the service's own stamps have. */
  minCreatedAt: 'min_created_at',
  maxCreatedAt: 'max_created_at',
  minUpdatedAt: 'min_updated_at',
  maxUpdatedAt: 'max_updated_at',
  minShippedAt: 'min_shipped_at',
  maxShippedAt: 'max_shipped_at',
  limit: 'limit',
  offset: 'offset',
} as const;

type Field = keyof typeof PARAMETERS;
type NumberField = 'returnGroupId' | 'orderId' | 'limit' | 'offset';

/** All optional, in any combination. How texts are matched and whether bounds include is not documented. */
export type ReturnGroupsQuery = {
  readonly [Name in Field]?: (Name extends NumberField ? number : string) | undefined;
};

/**
 * The texts that identify a customer, an order or a parcel (an order's id is harmless); they must not show in an error.
 */
export function personalValuesOf(query: ReturnGroupsQuery): string[] {
  return [query.email, query.orderName, query.trackingCode].filter((value) => value !== undefined);
}

/** Parameters without personal values: the service's messages on them may be shown. */
export const HARMLESS_PARAMETERS: ReadonlySet<string> = new Set(
  Object.values(PARAMETERS).filter((name) => !/^(?:email|order_name|tracking_code)$/.test(name)),
);

/**
 * The query as text, with its `?`; empty for an empty query. Everything with a meaning is percent-encoded: depending on
 * the reader, a bare `+`, as in `+02:00`, would arrive as a space, and a space written as `+` as a plus.
 */
export function encodeReturnGroupsQuery(query: ReturnGroupsQuery): string {
  const pairs: string[] = [];
  for (const name of Object.keys(PARAMETERS) as Field[]) {
    const value = query[name];
    if (value !== undefined)
      pairs.push(`${PARAMETERS[name]}=${encodeURIComponent(wellFormed(String(value)))}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Half a surrogate pair can't be encoded at all. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}');
}
