import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

export const handler = createQueueSubscriber({
  on: becomes('shipment', { DELIVERED: ({ data }) => console.log('Expect', data.items) }),
});
