// Opens the console on a feed, with all its pages.
import { createCataloguePage } from './catalogue-page.ts';
import type { ConsoleFeed } from './console-feed.ts';
import { type Console, startConsole } from './console-server.ts';
import { createFindPage } from './find-page.ts';
import { createLivePage } from './live-page.ts';
import { createOverviewPage } from './overview-page.ts';
import { createAskAction, createReturnPage } from './return-page.ts';
import { createStuckActions } from './stuck-actions.ts';
import { createStuckPage } from './stuck-page.ts';

/** @throws Error if the port can't be used */
export function openConsole(feed: ConsoleFeed, port: number): Promise<Console> {
  return startConsole({
    port,
    place: feed.flags.trim(),
    pages: [
      createOverviewPage(feed),
      createLivePage(feed),
      createStuckPage(feed),
      createCataloguePage(),
      createFindPage(feed),
      createReturnPage(feed),
    ],
    actions: [createAskAction(feed), ...createStuckActions(feed)],
  });
}
