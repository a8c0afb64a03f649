import { createServer } from 'node:http';
import { becomes, createWebhookReceiver, toNodeHandler } from 'returns-change-feed/webhook-receiver';

/** By parcel, not by event: a parcel may be delivered twice, or move to another return. In production: a table. */
const booked = new Set<string>();
const receiver = createWebhookReceiver({
  name: 'arrivals',
  secrets: process.env.WEBHOOK_SECRET ?? '',
  on: becomes('shipment', {
    DELIVERED: ({ source, data }) => {
      const parcel = `${source}/${data.object.id}`;
      if (booked.has(parcel)) return;
      for (const { sku, quantity } of data.items) console.log(JSON.stringify({ sku, quantity }));
      booked.add(parcel);
    },
  }),
});
createServer(toNodeHandler(receiver)).listen(Number(process.env.PORT));
