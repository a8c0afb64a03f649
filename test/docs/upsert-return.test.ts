// The example that keeps whole returns in a table.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { upsertReturn } from '../../docs/examples/webhooks/upsert-return.ts';
import type { ReturnChanged } from '../../shared/contract/return-message.ts';
import { committedExample } from '../shared/contract/committed-contracts.ts';

test('the table ends with the newest state of each return, in whatever order they arrive', async () => {
  const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  const database = new DatabaseSync(':memory:');
  database.exec(page.match(/```sql\n(.*?)```/s)?.[1] ?? '');
  const keep = upsertReturn(async (text, values) =>
    database.prepare(text.replaceAll(/\$\d/g, '?')).run(...(values as string[])),
  );
  const example = committedExample('return.changed');
  const at = (
    id: number,
    generation: string,
    sequence: number,
    whole = example.data.return,
  ): ReturnChanged => ({
    ...example,
    data: { ...example.data, return_group: { id }, generation, sequence, return: whole },
  });

  for (const [generation, sequence] of [
    ['mi8x2k', 9],
    ['mi8x2k', 10],
    ['mi8x2k', 2],
    ['mi9aaa', 1],
    ['mi8x2k', 12],
  ] as const)
    await keep(at(1, generation, sequence));
  for (const whole of [example.data.return, null]) await keep(at(2, 'mi8x2k', whole === null ? 4 : 3, whole));

  const rows = database.prepare('SELECT id, generation, sequence, state FROM returns ORDER BY id').all();
  database.close();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { id: 1, generation: 'mi9aaa', sequence: 1, state: JSON.stringify(example.data.return) },
    { id: 2, generation: 'mi8x2k', sequence: 4, state: null },
  ]);
});
