// A Lambda function that acts on each delivered parcel.
import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

export interface Parcel {
  readonly trackingNumber: string | null;
  readonly returnIds: readonly number[];
}

/** @param act if it throws, the event comes again */
export function createArrivals(act: (parcel: Parcel) => Promise<void>) {
  return createQueueSubscriber({
    on: becomes('shipment', {
      DELIVERED: ({ data: { object } }) =>
        act({ trackingNumber: object.tracking_number, returnIds: object.return_ids }),
    }),
  });
}

/** Put your own reaction here: book the goods in, or write to the customer. */
export const handler = createArrivals(async ({ trackingNumber, returnIds }) => {
  console.log(`Parcel ${trackingNumber} has arrived with the return items ${returnIds.join(', ')}`);
});
