// `npm run screenshots`: the pictures of docs/console.md, of the same scene in each run.
import { mkdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openConsoleScene } from '../console/console-scene.ts';
import { openBrowser } from '../console/open-browser.ts';
import { visit } from '../console/visit.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const MOST_BYTES = 120 * 1024;
/** A machine that is busy with tests takes long. */
const LONGEST_MS = 60_000;
const SHOTS = {
  light: { colorScheme: 'light', viewport: { width: 1_000, height: 700 } },
  dark: { colorScheme: 'dark', viewport: { width: 1_000, height: 700 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 720 } },
} as const;

await mkdir(FOLDER, { recursive: true });
const [scene, browser] = await Promise.all([openConsoleScene(), openBrowser()]);
try {
  for (const [variant, options] of Object.entries(SHOTS)) {
    const { page, go, close } = await visit(
      browser,
      scene.console,
      { ...options, reducedMotion: 'reduce' },
      LONGEST_MS,
    );
    for (const [name, path] of Object.entries(scene.pages)) {
      await go(path);
      // The port differs from run to run; nothing else on an up-to-date page does.
      if (name !== 'events' && name !== 'find')
        await page.getByRole('status').filter({ hasText: 'Kept up to date' }).first().waitFor();
      if (name === 'live') await page.getByText('JSON', { exact: true }).first().click();
      const file = `${FOLDER}${name}-${variant}.png`;
      await page.screenshot({ path: file, caret: 'hide', animations: 'disabled' });
      const { size } = await stat(file);
      if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes: show less of the page.`);
    }
    await close();
  }
} finally {
  await browser.close();
  await scene.close();
}
