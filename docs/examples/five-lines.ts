import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

export const handler = createQueueSubscriber({
  on: becomes('shipment', { DELIVERED: ({ data }) => console.log(data.items.map((item) => item.sku)) }),
});
