// G8: a kind of request that always fails does not stop the others; if polls fail, walks continue. The defect: a
// `watch` on a data directory with a state ended with its first tick if the service refused queries by updated_at. A
// tick without a finished poll counted as hopeless, although its walk made progress.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runWatch } from '../../../local/feed/run-watch.ts';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import type { TickReport } from '../../../shared/lanes/tick-report.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('watch continues with walks if polls are refused after a restart', async () => {
  const service = await createReferenceService({
    groups: 20,
    token: 'a-token',
    life: false,
    knobs: { rateLimit: 3_000 },
  });
  ends.push(service.close);
  let refuses = false;
  const front = createServer(async ({ url = '', headers }, response) => {
    if (refuses && url.includes('updated_at')) return void response.writeHead(400).end('{}');
    const token = String(headers['x-service-api-token']);
    const answer = await fetch(`${service.url}${url}`, { headers: { 'X-Service-Api-Token': token } });
    const date = answer.headers.get('date') ?? new Date().toUTCString();
    response.writeHead(answer.status, { 'Content-Type': 'application/json', Date: date });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    front.closeAllConnections();
    front.close();
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'review-'));
  ends.push(() => rm(dataDir, { recursive: true }));
  const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

  async function watch(ticks: number): Promise<TickReport[]> {
    const stopping = new AbortController();
    const reports: TickReport[] = [];
    await runWatch({
      settings: sourceSettings.parse({
        name: 'acme',
        baseUrl,
        intervalMs: 1_000,
        reconcileMs: 2_000,
        requestsPerMinute: 2_400,
      }),
      token: 'a-token',
      dataDir,
      forMs: 60_000,
      signal: stopping.signal,
      log: QUIET,
      onReport(report) {
        reports.push(report);
        if (reports.filter(({ state }) => state?.lease.expiresAt === 0).length >= ticks) stopping.abort();
      },
      async onEvent() {},
    });
    return reports;
  }

  await watch(1);
  refuses = true;

  expect((await watch(2)).length).toBeGreaterThanOrEqual(2);
}, 90_000);
