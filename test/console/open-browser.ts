// The browser of this machine for tests of pages. Where there is none these tests are skipped, and say so; in CI they
// fail instead, so that nobody mistakes a missing browser for a console that works.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const DEBIAN = '/usr/bin/chromium';
/** Requests that a browser sends of its own accord would count as outside requests. */
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

/** Whether tests of pages are left out, because this machine has no browser and is not CI. */
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
