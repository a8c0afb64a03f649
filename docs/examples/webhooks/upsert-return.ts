import type { ReturnChanged } from 'returns-change-feed/contract/return-message';

/** Runs a statement of your database, for instance `(text, values) => pool.query(text, values)` with PostgreSQL. */
type Query = (text: string, values: unknown[]) => Promise<unknown>;

/** An older state, which may land late, writes nothing. */
const UPSERT = `INSERT INTO returns (source, id, generation, sequence, state) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (source, id) DO UPDATE
  SET generation = excluded.generation, sequence = excluded.sequence, state = excluded.state
  WHERE (returns.generation, returns.sequence) < (excluded.generation, excluded.sequence)`;

/** Keeps the newest state of each return; null for one that was removed or forgotten. */
export const upsertReturn =
  (query: Query) =>
  async ({ source, data }: ReturnChanged): Promise<void> => {
    const { generation, sequence, return_group: group } = data;
    await query(UPSERT, [source, group.id, generation, sequence, data.return && JSON.stringify(data.return)]);
  };
