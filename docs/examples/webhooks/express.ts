import express from 'express';
import { becomes, createWebhookReceiver, toNodeHandler } from 'returns-change-feed/webhook-receiver';
import { bookArrival } from './book-arrival.js';

const receiver = createWebhookReceiver({
  name: 'warehouse',
  secrets: process.env.WEBHOOK_SECRET ?? '',
  on: becomes('shipment', { DELIVERED: (event) => bookArrival(event) }),
});
const app = express();
app.post('/hook', toNodeHandler(receiver));
app.listen(Number(process.env.PORT ?? 3000));
