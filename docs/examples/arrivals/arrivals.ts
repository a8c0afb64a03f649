import { createServer } from 'node:http';
import { becomes, createWebhookReceiver, toNodeHandler } from 'returns-change-feed/webhook-receiver';

const receiver = createWebhookReceiver({
  name: 'arrivals',
  secrets: process.env.WEBHOOK_SECRET ?? '',
  on: becomes('shipment', {
    DELIVERED: ({ data }) => {
      for (const { sku, quantity } of data.items) console.log(JSON.stringify({ sku, quantity }));
    },
  }),
});
createServer(toNodeHandler(receiver)).listen(Number(process.env.PORT));
