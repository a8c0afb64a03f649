// A feed whose ticks poll: polls are due by slots, so a tick that comes before its slot does not.
import { setTimeout } from 'node:timers/promises';
import type { LocalFeed } from '../../../local/feed/local-feed.ts';
import type { TickReport } from '../../../shared/lanes/tick-report.ts';

/** Time between polls: short enough to wait for, long enough for the budget. */
export const SOON_MS = 400;

/** Returns the feed, whose ticks come again until one has polled or failed, as those of `watch` do. */
export function pollingFeed(feed: LocalFeed): LocalFeed {
  async function tick(): Promise<TickReport> {
    for (;;) {
      const report = await feed.tick();
      if (report.polls > 0 || report.outcome !== 'done' || report.failure !== undefined) return report;
      await setTimeout(SOON_MS / 10);
    }
  }
  return { ...feed, tick };
}
