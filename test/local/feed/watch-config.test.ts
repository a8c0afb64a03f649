// The file of `watch --config`: what it says, and all that is wrong with it at once.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWatchConfig } from '../../../local/feed/watch-config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-config-'));
  await writeFile(join(folder, 'acme.token'), 'the-token\n');
  await writeFile(join(folder, 'hook.secret'), `whsec_${Buffer.alloc(32, 7).toString('base64')}\n`);
});
afterEach(() => rm(folder, { recursive: true }));

const ACME = { name: 'acme', baseUrl: 'https://returns.example.com/api', tokenFile: 'acme.token' };

async function read(config: unknown, overrides: { readonly every?: number } = {}) {
  const file = join(folder, 'feed.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  return readWatchConfig(file, { every: overrides.every, given: [{ name: '--config', value: file }] });
}

describe('a configuration of `watch`', () => {
  it('gives each source its settings, and those of the file where it has none', async () => {
    const { plan } = await read({
      every: '30s',
      sources: [ACME, { ...ACME, name: 'globex', every: '5s', budget: 20, baseline: 'emit', moved: true }],
    });

    expect(plan.sources).toMatchObject([
      { settings: { name: 'acme', intervalMs: 30_000, baseline: 'silent', walkShare: 0.25 } },
      {
        settings: { name: 'globex', intervalMs: 5_000, requestsPerMinute: 20, baseline: 'emit' },
        isMoved: true,
      },
    ]);
    expect(await plan.sources[0]?.secret.read()).toBe('the-token\n');
  });

  it('reads a token anew each time, so that it can be rotated', async () => {
    const { plan } = await read({ sources: [ACME] });
    await plan.sources[0]?.secret.read();

    await writeFile(join(folder, 'acme.token'), 'another');

    expect(await plan.sources[0]?.secret.read()).toBe('another');
  });

  it('follows `--every` of the command line before its own', async () => {
    const { plan } = await read({ every: '30s', sources: [ACME] }, { every: 2_000 });

    expect(plan.sources[0]?.settings.intervalMs).toBe(2_000);
  });

  it('spreads the polls of its sources, in the same way at each start', async () => {
    const config = {
      sources: [
        { ...ACME, budget: 10 },
        { ...ACME, name: 'globex', budget: 10 },
      ],
    };

    const [first, second] = [await read(config), await read(config)];

    const spreads = first.plan.sources.map(({ spread = 0 }) => spread);
    expect(second.plan.sources.map(({ spread }) => spread)).toEqual(spreads);
    expect(new Set(spreads).size).toBe(2);
    for (const spread of spreads) expect(spread).toBeGreaterThan(0);
    for (const spread of spreads) expect(spread).toBeLessThan(1);
  });

  it('takes paths from its own folder, and options of receivers', async () => {
    const { data, plan } = await read({
      ...{ data: 'state', sources: [ACME] },
      receivers: [
        {
          ...{ url: 'https://shop.test/hook', secretFile: 'hook.secret', sources: ['acme'] },
          ...{ filter: { hasTracking: true }, shape: 'return' },
        },
      ],
    });

    expect(data).toBe(join(folder, 'state'));
    expect(plan.receivers).toMatchObject([
      {
        secret: expect.stringMatching(/^whsec_/),
        ...{ filter: { sources: ['acme'], hasTracking: true }, shape: 'return' },
      },
    ]);
  });

  it('names all that is wrong at once', async () => {
    const config = {
      sources: [
        { ...ACME, tokenFile: 'nowhere' },
        { ...ACME, name: 'globex', tokenEnv: 'GLOBEX_TOKEN' },
        { ...ACME, name: 'initech', baseUrl: 'returns' },
      ],
      receivers: [{ url: 'https://shop.test/hook', sources: ['umbrella'] }],
    };

    const reading = read(config);

    await expect(reading).rejects.toThrow('has 4 problems');
    await expect(reading).rejects.toThrow(
      /sources\[0\]: .*nowhere.*sources\[1\]: .*either tokenFile or tokenEnv.*sources\[2\].*receivers\[0\]: .*umbrella/s,
    );
  });

  it.each([
    ['no JSON', '{', "can't be read"],
    ['an unknown field', { sources: [{ ...ACME, evry: '5s' }] }, 'sources[0]: Unrecognized key: "evry"'],
    ['no duration', { sources: [{ ...ACME, every: 'often' }] }, 'sources[0].every: Give a duration'],
    ['no sources', { sources: [] }, 'sources: '],
    ['a name twice', { sources: [ACME, { ...ACME, budget: 10 }] }, 'The source "acme" stands there twice'],
    [
      'one token with more than the service allows',
      { sources: [ACME, { ...ACME, name: 'globex' }] },
      'use one token, for which the service allows 300 requests a minute',
    ],
    [
      'a filter of the feed itself',
      { sources: [ACME], receivers: [{ url: 'https://a.test', filter: { types: ['feed.source_read'] } }] },
      'only for queues and the bus',
    ],
    ['a short lookback', { sources: [{ ...ACME, lookback: '1m' }] }, 'at least twice as long as settle'],
    [
      'a wrong filter',
      { sources: [ACME], receivers: [{ url: 'https://a.test', filter: { to: ['X'] } }] },
      'to.0',
    ],
  ])('is refused with %s', async (_, config, problem) => {
    await expect(read(config)).rejects.toThrow(problem);
  });
});
