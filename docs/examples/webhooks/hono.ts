import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { becomes, createWebhookReceiver } from 'returns-change-feed/webhook-receiver';
import { bookArrival } from './book-arrival.js';

const receiver = createWebhookReceiver({
  name: 'warehouse',
  secrets: process.env.WEBHOOK_SECRET ?? '',
  on: becomes('shipment', { DELIVERED: (event) => bookArrival(event) }),
});
const app = new Hono();
app.post('/hook', (context) => receiver(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
