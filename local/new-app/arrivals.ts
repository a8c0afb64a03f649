// A Lambda function that acts on each delivered parcel. Put your own reaction here: book the goods in, or write to the
// customer. If it throws, the event comes again.
import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

export const handler = createQueueSubscriber({
  on: becomes('shipment', {
    DELIVERED: ({ source, data }) => {
      // The key of what you book. Not the event's id: a parcel may be delivered twice, or move to another return.
      const parcel = `${source}/shipments/${data.object.id}`;
      for (const { sku, quantity } of data.items) console.log(JSON.stringify({ parcel, sku, quantity }));
    },
  }),
});
