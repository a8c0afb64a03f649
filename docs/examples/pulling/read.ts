import { stream } from '@durable-streams/client';
import { load, save } from './store.ts';

const read = await stream({
  url: String(process.env.FEED_URL),
  headers: { authorization: `Bearer ${process.env.FEED_TOKEN}` },
  offset: load() ?? '-1',
  live: true,
});
read.subscribeJson<{ id: string }>(({ items, offset }) => save(items, offset));
