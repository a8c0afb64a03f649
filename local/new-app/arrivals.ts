// A Lambda function that acts on each delivered parcel. Put your own reaction here: book the goods in, or write to the
// customer. If it throws, the event comes again.
import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

export const handler = createQueueSubscriber({
  on: becomes('shipment', {
    DELIVERED: ({ data }) => {
      for (const { sku, quantity } of data.items) console.log(JSON.stringify({ sku, quantity }));
    },
  }),
});
