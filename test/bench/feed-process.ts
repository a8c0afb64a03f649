// The feed as a user runs it: the command `watch --json` with a data directory. It knows what the printed events say.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { startWatch } from '../acceptance/watch-process.ts';
import type { ReaderProcess, RealWorld } from './bench-world.ts';
import { sightingsOf } from './feed-in-virtual-time.ts';
import { usageOf } from './process-usage.ts';
import type { Setting } from './settings.ts';

const LOOK_MS = 20;

export function startFeedProcess({ setting, time, url, service }: RealWorld): ReaderProcess {
  const data = mkdtempSync(join(tmpdir(), 'returns-feed-bench-'));
  const startedAt = time.now();
  const options = { 'base-url': url, source: 'bench', data, ...optionsOf(setting) };
  const watch = startWatch(options, [], { token: service.token });
  const { pid, messages, printed } = watch;
  let isStopped = false;

  async function isReady(): Promise<void> {
    while (!watch.hasEnded() && !messages.some((message) => message.includes('baseline complete')))
      await sleep(LOOK_MS);
  }

  return {
    startedAt,
    isReady: isReady(),
    sightings: () =>
      printed.flatMap(({ line, arrivedAt }) => [
        ...sightingsOf(JSON.parse(line) as FeedEvent, arrivedAt * MILLISECOND),
      ]),
    printedAt: () => printed.map(({ arrivedAt }) => arrivedAt * MILLISECOND),
    usage: () => usageOf(pid),
    notes: () => (watch.hasEnded() && !isStopped ? [`watch ended: ${messages.at(-1)}`] : []),
    async stop() {
      isStopped = true;
      if (!watch.hasEnded()) await watch.end('SIGINT');
      rmSync(data, { recursive: true });
    },
  };
}

function optionsOf({ everyMs, reconcileMs, settleMs, requestsPerMinute, baseline }: Setting) {
  return {
    ...{ every: `${everyMs}ms`, budget: String(requestsPerMinute) },
    ...(reconcileMs !== undefined && { reconcile: `${reconcileMs}ms` }),
    ...(settleMs !== undefined && { settle: `${settleMs}ms` }),
    ...(baseline !== undefined && { baseline }),
  };
}
