import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

/** Runs a statement of your database, for instance `(text, values) => pool.query(text, values)` with PostgreSQL. */
type Query = (text: string, values: unknown[]) => Promise<unknown>;

/** A parcel that is delivered twice, or moves to another return, writes nothing: an item is on one parcel once. */
const INSERT = `INSERT INTO arrivals (source, parcel, item, sku, quantity) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (source, parcel, item) DO NOTHING`;

export const rowsInto = (query: Query) =>
  createQueueSubscriber({
    on: becomes('shipment', {
      DELIVERED: async ({ source, data: { object, items } }) => {
        for (const { id, sku, quantity } of items)
          await query(INSERT, [source, object.id, id, sku, quantity]);
      },
    }),
  });
