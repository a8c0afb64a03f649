// The statuses that the service's document lists, to tell a typo from a status that the service has added since.
import type * as z from 'zod';
import { exchangeLineItem, returnLineItem, shipment } from '../../shared/contract/entities.ts';
import type { StatusKind } from '../../shared/contract/statuses.ts';
import { nearest } from './suggest.ts';

const STATUSES: Readonly<Record<StatusKind, readonly string[]>> = {
  return_line_item: listed(returnLineItem),
  shipment: listed(shipment),
  exchange_line_item: listed(exchangeLineItem),
};

function listed({ shape }: { readonly shape: { readonly status: z.ZodType } }): readonly string[] {
  return shape.status.meta()?.examples as string[];
}

/**
 * The listed status that was probably meant; undefined for a listed status, and for one that is near none.
 *
 * @param kind of the entity; undefined for any
 */
export function meantStatus(written: string, kind?: StatusKind): string | undefined {
  const known = kind === undefined ? Object.values(STATUSES).flat() : STATUSES[kind];
  return known.includes(written) ? undefined : nearest(written, known);
}
