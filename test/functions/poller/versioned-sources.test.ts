import { expect, test } from 'vitest';
import type { ConfiguredSource } from '../../../functions/poller/source-sessions.ts';
import { createVersionedSources } from '../../../functions/poller/versioned-sources.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';

function setUp() {
  const asked: string[] = [];
  const missing = new Set<string>();
  const find = createVersionedSources(async (name): Promise<ConfiguredSource | undefined> => {
    asked.push(name);
    if (missing.has(name)) return undefined;
    return {
      settings: sourceSettings.parse({ name, baseUrl: 'https://returns.example/api' }),
      secret: { place: `secret ${asked.length}`, read: async () => 'token' },
    };
  });
  return { asked, missing, find };
}

test('an entry is read once for each of its versions', async () => {
  const { asked, find } = setUp();

  const [first, again, changed] = [await find('acme', 1), await find('acme', 1), await find('acme', 2)];

  expect(again).toBe(first);
  expect(changed).not.toBe(first);
  expect(asked).toEqual(['acme', 'acme']);
});

test('without a version the entry is read, and a version known before is read again after it', async () => {
  const { asked, find } = setUp();
  await find('acme', 1);

  await find('acme');
  await find('acme', 1);

  expect(asked).toHaveLength(3);
});

test('a source that is missing is looked for again', async () => {
  const { missing, find } = setUp();
  missing.add('acme');
  const before = await find('acme', 1);
  missing.clear();

  const after = await find('acme', 1);

  expect(before).toBeUndefined();
  expect(after).toMatchObject({ settings: { name: 'acme' } });
});

test('a thousand sources are remembered, and no more', async () => {
  const { asked, find } = setUp();
  for (let at = 0; at <= 1_000; at++) await find(`s${at}`, 1);
  asked.length = 0;

  await find('s1', 1);
  await find('s0', 1);

  expect(asked).toEqual(['s0']);
});
