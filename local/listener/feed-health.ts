// The health of a running `watch`, as `status` judges it, remembered for some seconds: many may ask.

import { openDirectory } from '../place/open-directory.ts';
import { openDeploymentParts } from '../status/deployment-parts.ts';
import { judgeFeed } from '../status/judge-feed.ts';
import { loadOverview } from '../status/load-overview.ts';
import type { FeedHealth } from './health-routes.ts';

const REMEMBERED_MS = 5_000;

export interface WatchedHealth extends FeedHealth {
  /** Counts requests of a source. */
  note(source: string, requests: number): void;
}

/** @param dataDir the directory that this process watches with */
export function createFeedHealth(dataDir: string): WatchedHealth {
  const counted = new Map<string, number>();
  let last: ReturnType<FeedHealth['load']> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;

  async function load() {
    const opened = await openDirectory(dataDir, 'to read');
    try {
      const now = Date.now();
      const feed = { ...opened, ...openDeploymentParts(opened, { now: Date.now, withAges: false }) };
      const overview = await loadOverview(feed, now);
      const sources = (overview.sources ?? []).map(({ status }) => status);
      return { verdict: judgeFeed(overview, now * 1_000, feed.flags), sources };
    } finally {
      await opened.close();
    }
  }

  return {
    requests: () => counted,
    note: (source, requests) => void counted.set(source, (counted.get(source) ?? 0) + requests),
    load() {
      const now = performance.now();
      if (last === undefined || now - loadedAt >= REMEMBERED_MS) {
        loadedAt = now;
        last = load();
        // The next request tries again.
        last.catch(() => {
          last = undefined;
        });
      }
      return last;
    },
  };
}
