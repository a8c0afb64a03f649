import { expect, test } from 'vitest';
import { createRecentSources } from '../../../functions/poller/recent-sources.ts';
import { MILLISECOND } from '../../../shared/instant.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';

function setUp() {
  let now = 0;
  const found: string[] = [];
  const parameter = { requestsPerMinute: 240, isGone: false, isRefused: false };
  const sourceOf = createRecentSources({ elapsed: () => now }, async (name) => {
    found.push(name);
    if (parameter.isRefused) throw new Error('ThrottlingException');
    if (parameter.isGone) return undefined;
    const { requestsPerMinute } = parameter;
    return {
      settings: sourceSettings.parse({ name, baseUrl: 'https://returns.example/api', requestsPerMinute }),
      secret: { place: `secret ${name}`, read: async () => 'token' },
    };
  });
  return {
    ...{ found, parameter, sourceOf },
    pass: (seconds: number) => {
      now += seconds * 1_000 * MILLISECOND;
    },
  };
}

test('a source that ticks every two seconds is looked up twice in a minute and a second', async () => {
  const { found, sourceOf, pass } = setUp();

  for (let second = 0; second <= 60; second += 2) {
    await sourceOf('acme');
    pass(2);
  }

  expect(found).toEqual(['acme', 'acme']);
});

test('a setting that has changed takes effect within a minute', async () => {
  const { parameter, sourceOf, pass } = setUp();
  await sourceOf('acme');
  parameter.requestsPerMinute = 60;

  pass(49);
  const before = await sourceOf('acme');
  pass(10);
  const after = await sourceOf('acme');

  expect(before?.settings.requestsPerMinute).toBe(240);
  expect(after?.settings.requestsPerMinute).toBe(60);
});

test('each tick of a source that is polled once a minute looks it up', async () => {
  const { found, sourceOf, pass } = setUp();

  await sourceOf('acme');
  pass(59.5);
  await sourceOf('acme');

  expect(found).toHaveLength(2);
});

test('a removed source is unknown within a minute, and known again immediately after its return', async () => {
  const { parameter, sourceOf, pass } = setUp();
  await sourceOf('acme');
  parameter.isGone = true;
  pass(50);

  await expect(sourceOf('acme')).resolves.toBeUndefined();
  parameter.isGone = false;

  await expect(sourceOf('acme')).resolves.toMatchObject({ settings: { name: 'acme' } });
});

test('a failed look-up is not cached', async () => {
  const { parameter, sourceOf } = setUp();
  parameter.isRefused = true;
  await expect(sourceOf('acme')).rejects.toThrow('ThrottlingException');
  parameter.isRefused = false;

  await expect(sourceOf('acme')).resolves.toMatchObject({ settings: { name: 'acme' } });
});

test("a repeated read of the token makes the next tick look up the token's place", async () => {
  const { found, sourceOf } = setUp();
  const source = await sourceOf('acme');
  await source?.secret.read();
  await sourceOf('acme');
  expect(found).toHaveLength(1);

  await source?.secret.read();
  await sourceOf('acme');

  expect(found).toHaveLength(2);
});

test('the token is read at each call', async () => {
  let reads = 0;
  const sourceOf = createRecentSources({ elapsed: () => 0 }, async (name) => ({
    settings: sourceSettings.parse({ name, baseUrl: 'https://returns.example/api' }),
    secret: { place: 'a secret', read: async () => `token ${++reads}` },
  }));
  const source = await sourceOf('acme');

  expect([await source?.secret.read(), await source?.secret.read()]).toEqual(['token 1', 'token 2']);
});
