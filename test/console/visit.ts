// Opens a console in a browser. Records what no page may do: log an error, open a dialog, or send a request to another
// host.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Console } from '../../local/console/console-server.ts';

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a page of the console by its path. */
  go(path: string): Promise<void>;
  /** Opens another window, which shares the cookie. */
  openWindow(path: string): Promise<Page>;
  /** Violations by the pages, for instance a logged error. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Timeout for a page to appear. */
const LONGEST_MS = 8_000;

export async function visit(
  browser: Browser,
  { url }: Pick<Console, 'url'>,
  options: BrowserContextOptions = {},
  longestMs = LONGEST_MS,
): Promise<Visit> {
  const { origin } = new URL(url);
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  context.setDefaultTimeout(longestMs);
  const problems: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) problems.push(`asked for ${request.url()}`);
  });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`logged ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`threw ${error.error().message}`));
  context.on('dialog', async (dialog) => {
    problems.push(`opened a dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  const page = await context.newPage();
  await page.goto(url);
  const address = (path: string) => new URL(path, origin).href;
  return {
    page,
    context,
    go: async (path) => void (await page.goto(address(path))),
    async openWindow(path) {
      const other = await context.newPage();
      await other.goto(address(path));
      return other;
    },
    problems,
    close: () => context.close(),
  };
}
