// Opens this machine's browser for tests of pages. Without a browser these tests are skipped with a message; in CI they
// fail, so that a missing browser does not look like a working console.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const DEBIAN = '/usr/bin/chromium';
/** Turns off the browser's own requests, which would count as requests to other hosts. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

function findBrowser(): string | undefined {
  const path = process.env.CHROMIUM_PATH || DEBIAN;
  return existsSync(path) ? path : undefined;
}

/** Whether tests of pages are skipped: this machine has no browser and is not CI. */
export const lacksBrowser = findBrowser() === undefined && !process.env.CI;
if (lacksBrowser)
  console.warn(
    `Tests of pages are skipped: there is no ${process.env.CHROMIUM_PATH || DEBIAN}. Install the package ` +
      'chromium, or name a Chromium in CHROMIUM_PATH.',
  );

/** @throws Error if this machine has no browser */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined)
    throw new Error(
      `There is no browser at ${process.env.CHROMIUM_PATH || DEBIAN}: install the package chromium, or name one in ` +
        'CHROMIUM_PATH.',
    );
  return chromium.launch({ executablePath, args: QUIET });
}
