// A feed with one source, as `watch` runs it without a configuration.
import { tokenInEnvironment } from '../../../local/cli/service-options.ts';
import { openLocalFeed } from '../../../local/feed/local-feed.ts';
import type { FeedOutput } from '../../../local/feed/publishing.ts';
import { runWatch, type WatchOptions } from '../../../local/feed/run-watch.ts';
import type { SourceTicks } from '../../../local/feed/source-ticks.ts';
import type { Receiver, WatchedSource } from '../../../local/feed/watch-plan.ts';
import type { SourceReporting } from '../../../local/feed/watch-source.ts';
import type { TickReport } from '../../../shared/reporting/tick-report.ts';

type Output = Omit<FeedOutput, 'onAttempt'> & Partial<Pick<FeedOutput, 'onAttempt'>>;

export interface FeedOfOne extends Pick<SourceTicks, 'isNew' | 'tick' | 'stopPolling'> {
  readonly failed: Promise<never>;
  handOver(): Promise<void>;
  close(): Promise<void>;
}

interface One extends Output, Omit<WatchedSource, 'secret'> {
  readonly token: string;
  readonly receivers?: readonly Receiver[];
  readonly onProgress?: (report: TickReport) => void;
}

/** Opens the feed; nothing is polled before the first tick. */
export async function startFeedOfOne({
  token,
  receivers = [],
  onProgress,
  ...given
}: One): Promise<FeedOfOne> {
  const feed = await openLocalFeed({ onAttempt() {}, ...given });
  try {
    await feed.forwardTo(receivers);
    feed.catchUp();
    const source = { ...given, secret: tokenInEnvironment(token) };
    const ticks = await feed.openSource(source, { log: given.log, onProgress: onProgress ?? (() => {}) });
    return { ...ticks, failed: feed.failed, handOver: feed.handOver, close: feed.close };
  } catch (error) {
    await feed.close();
    throw error;
  }
}

interface WatchOfOne
  extends Output,
    Omit<WatchedSource, 'secret'>,
    Pick<WatchOptions, 'forMs' | 'signal'>,
    Omit<SourceReporting, 'log'> {
  readonly lastEventsMs?: number;
  readonly token: string;
}

export async function watchOne({ settings, token, onReport, onStart, ...given }: WatchOfOne): Promise<void> {
  await runWatch({
    onAttempt() {},
    ...given,
    plan: { sources: [{ ...given, settings, secret: tokenInEnvironment(token) }], receivers: [] },
    reporting: () => ({ log: given.log, onReport, ...(onStart && { onStart }) }),
  });
}
