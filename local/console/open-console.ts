// Opens a feed and serves the console with all its pages.
import { onKey } from '../cli/on-key.ts';
import { whenAborted } from '../cli/until-aborted.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';
import { createCataloguePage } from './catalogue-page.ts';
import { type ConsoleFeed, createConsoleFeed, type ServedFeed } from './console-feed.ts';
import { type Console, startConsole } from './console-server.ts';
import { createDocumentPage } from './document-page.ts';
import { createFindPage } from './find-page.ts';
import { createLivePage } from './live-page.ts';
import { createOverviewPage } from './overview-page.ts';
import { createAskAction, createReturnPage } from './return-page.ts';
import { noteConsole } from './running-console.ts';
import { createStuckActions } from './stuck-actions.ts';
import { createStuckPage } from './stuck-page.ts';

export interface ServedConsole extends Pick<ConsoleFeed, 'moments' | 'access' | 'acts'> {
  /** 0 for a free port. */
  readonly port: number;
  /**
   * Called with the address, whose token opens the console once; again if a used address is opened, or c and Enter are
   * pressed on the terminal.
   */
  readonly onReady: (url: string) => void;
  /** Ends the console. */
  readonly signal: AbortSignal;
}

/** Serves until the signal aborts. @throws UsageError if no place is given, Error if the place or the port can't be used */
export async function serveConsole(place: PlaceFlags, options: ServedConsole): Promise<void> {
  const { port, onReady, signal, ...shown } = options;
  await withFeed(
    place,
    async (feed) => {
      const served = await openConsole({ ...feed, ...shown }, port, onReady);
      // Only `status` needs the note: serve without it if it can't be written.
      const forget =
        place.data === undefined
          ? undefined
          : await noteConsole(place.data, served.url).catch(() => undefined);
      onReady(served.url);
      onKey('c', signal, () => onReady(served.url));
      await whenAborted(signal);
      await forget?.();
      await served.close();
    },
    options.acts ? 'to write' : 'if possible',
  );
}

/** @throws Error if the port can't be used */
export function openConsole(
  served: ServedFeed,
  port: number,
  onNewAddress?: (url: string) => void,
): Promise<Console> {
  const feed = createConsoleFeed(served);
  return startConsole({
    port,
    ...(onNewAddress && { onNewAddress }),
    place: feed.flags.trim(),
    listProblems: feed.listProblems,
    pages: [
      createOverviewPage(feed),
      createLivePage(feed),
      createStuckPage(feed),
      createCataloguePage(),
      createFindPage(feed),
      createReturnPage(feed),
      createDocumentPage(),
    ],
    actions: [createAskAction(feed), ...createStuckActions(feed)],
  });
}
