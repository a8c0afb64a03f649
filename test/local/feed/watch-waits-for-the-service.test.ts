// `watch` starts with the machine, often before the network or the service.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { COULD_NOT_BE_READ, runWatch } from '../../../local/feed/run-watch.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';

const TOKEN = 'a-token';
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('a watch that starts while nothing listens reads the service as soon as it runs', async () => {
  const port = await freePort();

  const polls = await watchUntilRead(port, () => startService(port));

  expect(polls).toBeGreaterThan(0);
});

test('a watch that meets a page of maintenance at its start reads the service afterwards', async () => {
  const maintenance = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<h1>Back soon</h1>'),
  );
  const port = await listen(maintenance);

  const polls = await watchUntilRead(port, async () => {
    maintenance.closeAllConnections();
    await new Promise((resolve) => maintenance.close(resolve));
    await startService(port);
  });

  expect(polls).toBeGreaterThan(0);
});

/** @param onWarning called at the first tick that fails. @returns the number of polls of the first tick that read */
async function watchUntilRead(port: number, onWarning: () => Promise<void>): Promise<number> {
  const stopping = new AbortController();
  let repair: Promise<void> | undefined;
  let read = 0;
  await runWatch({
    settings: sourceSettings.parse({
      name: 'acme',
      baseUrl: `http://127.0.0.1:${port}/api`,
      intervalMs: 1_000,
    }),
    token: TOKEN,
    dataDir: undefined,
    forMs: 60_000,
    signal: stopping.signal,
    log: {
      debug() {},
      info() {},
      warn(message) {
        if (message === COULD_NOT_BE_READ) repair ??= onWarning();
      },
      error() {},
    },
    onReport({ polls }) {
      if (polls === 0) return;
      read = polls;
      stopping.abort();
    },
    async onEvent() {},
  });
  await repair;
  return repair === undefined ? 0 : read;
}

async function startService(port: number): Promise<void> {
  const service = await createReferenceService({ port, groups: 10, token: TOKEN, life: false });
  ends.push(service.close);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
