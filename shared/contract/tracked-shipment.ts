// When a parcel can be announced: one rule for the filter `hasTracking` and for pre-advices.
import type { Shipment } from './entities.ts';

/** Whether a shipment has a tracking number, and was not canceled. */
export function isTracked({ status, tracking_number: number }: Pick<Shipment, 'status' | 'tracking_number'>) {
  return hasText(number) && status !== 'CANCELED';
}

/** A service may show an empty text for none. */
export function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
