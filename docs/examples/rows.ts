import { becomes, createQueueSubscriber } from 'returns-change-feed/subscriber-kit';

/** Runs a statement of your database, for instance `(text, values) => pool.query(text, values)` with PostgreSQL. */
type Query = (text: string, values: unknown[]) => Promise<unknown>;

/** A repeated event writes nothing: an item is on one parcel once. */
const INSERT = `INSERT INTO arrivals (parcel, item, sku, quantity) VALUES ($1, $2, $3, $4)
  ON CONFLICT (parcel, item) DO NOTHING`;

export const rowsInto = (query: Query) =>
  createQueueSubscriber({
    on: becomes('shipment', {
      DELIVERED: async ({ data: { object, items } }) => {
        for (const { id, sku, quantity } of items) await query(INSERT, [object.id, id, sku, quantity]);
      },
    }),
  });
