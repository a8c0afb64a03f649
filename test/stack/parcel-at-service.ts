// A return at the reference service with a parcel in transit, controlled with the control API.
import type { ShownGroup } from '../../local/reference-service/showing/show-group.ts';

export interface ParcelAtService {
  readonly group: number;
  readonly parcel: number;
  /** Two line items, both not reviewed. */
  readonly lineItems: readonly number[];
  deliver(): Promise<void>;
  /** Reviews the first line item. */
  review(): Promise<void>;
  /** Completes all line items. */
  complete(): Promise<void>;
}

/**
 * @param serviceUrl the service's URL with the API's path prefix
 * @throws Error if there is no such return
 */
export async function findParcel(serviceUrl: string): Promise<ParcelAtService> {
  const groups = (await (await fetch(new URL('/_control/snapshot', serviceUrl))).json()) as ShownGroup[];
  const group = groups.find(
    ({ returns, shipments }) =>
      returns.length === 2 &&
      Array.isArray(shipments[0]?.return_ids) &&
      shipments[0].return_ids.length === 2 &&
      shipments[0].status !== 'DELIVERED' &&
      returns.every(({ status }) => status === 'OPEN'),
  );
  const [shipment] = group?.shipments ?? [];
  if (group === undefined || shipment === undefined) throw new Error('There is no parcel to follow.');
  const set = (fields: Readonly<Record<string, string>>) =>
    mutate(serviceUrl, { groupId: Number(group.id), set: fields });
  const eachItem = (status: string) =>
    Object.fromEntries(group.returns.map((_, place) => [`returns.${place}.status`, status]));
  return {
    group: Number(group.id),
    parcel: Number(shipment.id),
    lineItems: group.returns.map(({ id }) => Number(id)),
    deliver: () => set({ 'shipments.0.status': 'DELIVERED' }),
    review: () => set({ 'returns.0.status': 'IN_REVIEW' }),
    complete: () => set(eachItem('COMPLETED')),
  };
}

async function mutate(serviceUrl: string, body: object): Promise<void> {
  const { ok, status } = await fetch(new URL('/_control/mutate', serviceUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!ok) throw new Error(`The change was answered with ${status}.`);
}
