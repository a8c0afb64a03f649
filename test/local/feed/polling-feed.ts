// A feed whose ticks poll: polls are due by slots, so a tick that comes before its slot does not.
import { setTimeout } from 'node:timers/promises';
import type { TickReport } from '../../../shared/reporting/tick-report.ts';
import type { FeedOfOne } from './feed-of-one.ts';

/** Time between polls: a tick ends where nothing comes due within half a second. */
export const SOON_MS = 1_000;

/** Returns the feed, whose ticks come again until one has polled or failed, as those of `watch` do. */
export function pollingFeed(feed: FeedOfOne): FeedOfOne {
  async function tick(): Promise<TickReport> {
    for (;;) {
      const report = await feed.tick();
      if (report.polls > 0 || report.outcome !== 'done' || report.failure !== undefined) return report;
      await setTimeout(SOON_MS / 20);
    }
  }
  return { ...feed, tick };
}
