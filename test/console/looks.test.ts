// Accessibility of all pages and in the states of a feed, in both colour schemes and at the width of a phone, and use by keyboard.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ConsoleScene, openConsoleScene, type SceneState } from './console-scene.ts';
import { openManySources } from './many-sources.ts';
import { lacksBrowser, openBrowser } from './open-browser.ts';
import { type Visit, visit } from './visit.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };

let scene: ConsoleScene;
let browser: Browser;
beforeAll(async () => {
  if (lacksBrowser) return;
  [scene, browser] = await Promise.all([openConsoleScene(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

/** Opens every page, including those behind buttons, and calls `work` on each. */
async function onEveryPage({ page, go }: Visit, work: (name: string) => Promise<void>): Promise<void> {
  const pages = { ...scene.pages, 'a document': '/documents/docs/troubleshooting.md' };
  for (const [name, path] of Object.entries(pages)) {
    await go(path);
    await work(name);
  }
  await go(scene.pages.return ?? '');
  await page.getByRole('button', { name: /^Ask the service/ }).click();
  await page.locator('#asked').waitFor();
  // A page that is still being parsed has another layout.
  await page.waitForLoadState();
  await work('a return with an answer');
  await go('/stuck');
  await page.getByRole('button', { name: /^Release hold/ }).click();
  await page.getByRole('heading', { name: 'Are you sure?' }).waitFor();
  await page.waitForLoadState();
  await work('a confirmation');
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Finding[] }>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const WIDER = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
/** The innermost element that reaches furthest to the right. */
const WIDEST = `[...document.querySelectorAll('body *')]
  .map((each) => ({ each, right: each.getBoundingClientRect().right }))
  .reduce((most, next) => (next.right >= most.right ? next : most)).each.outerHTML.slice(0, 500)`;

describe.skipIf(lacksBrowser)('every page', () => {
  it.each([
    ['light, wide', { colorScheme: 'light' as const, viewport: WIDE }],
    ['dark, on a phone', { colorScheme: 'dark' as const, viewport: PHONE }],
  ])(
    'has no accessibility violations that axe finds, and no horizontal scrolling: %s',
    async (_, options) => {
      const opened = await visit(browser, scene.console, options);
      const findings: Record<string, string[]> = {};

      await onEveryPage(opened, async (name) => {
        await opened.page.evaluate(
          'for (const each of document.querySelectorAll("details")) each.open = true',
        );
        const wider = await opened.page.evaluate<number>(WIDER);
        const found = [
          ...(await findBarriers(opened.page)),
          ...(wider > 0 ? [`${wider} pixels too wide`, await opened.page.evaluate<string>(WIDEST)] : []),
        ];
        if (found.length > 0) findings[name] = found;
      });

      expect(findings).toEqual({});
      expect(opened.problems).toEqual([]);
      await opened.close();
    },
  );

  it('shows all of each table on a phone, with its labels apart, and no sign of Markdown', async () => {
    const opened = await visit(browser, scene.console, { viewport: PHONE });
    const findings: Record<string, string[]> = {};

    await onEveryPage(opened, async (name) => {
      const found = [
        ...(await opened.page.evaluate<string[]>(CUT_OFF)),
        ...(await opened.page.evaluate<string[]>(OVERLAPPING)),
        ...(await opened.page.evaluate<string[]>(BACKTICKS)),
      ];
      if (found.length > 0) findings[name] = found;
    });

    expect(findings).toEqual({});
    await opened.close();
  });

  it('works with only a keyboard: the focus reaches every control, and is visible', async () => {
    const opened = await visit(browser, scene.console);
    const { page } = opened;
    const unseen: Record<string, unknown> = {};

    await onEveryPage(opened, async (name) => {
      await page.evaluate(`window.reached = new Set(); window.dim = [];`);
      const most = (await page.evaluate<number>(`(${REACHABLE}).length`)) + 2;
      for (let press = 0; press < most; press += 1) {
        await page.keyboard.press('Tab');
        await page.evaluate(NOTE_FOCUS);
      }
      const missed = await page.evaluate<string[]>(
        `(${REACHABLE}).filter((each) => !window.reached.has(each)).map((each) => each.outerHTML.slice(0, 120))`,
      );
      const dim = await page.evaluate<string[]>('window.dim');
      if (missed.length + dim.length > 0) unseen[name] = { missed, dim };
    });

    expect(unseen).toEqual({});
    await opened.close();
  });

  it('begins with a link that skips to its content', async () => {
    const opened = await visit(browser, scene.console);
    const { page } = opened;
    await opened.go('/stuck');

    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');

    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await opened.close();
  });
});

describe.skipIf(lacksBrowser)('the pages of a feed', () => {
  it.each<[SceneState, string | undefined, Record<string, string>]>([
    [
      'empty',
      undefined,
      {
        overview: 'No source has been polled yet: "watch" polls at once',
        stuck: 'No source has been polled yet: "watch" polls at once',
        live: 'No event yet. The next change of a return appears here.',
        find: 'Nothing was searched: no source has been polled yet.',
      },
    ],
    [
      'baseline',
      undefined,
      {
        overview: 'Events a minute: 114 since the feed began at 10:04, at most 15 in one minute',
        stuck: 'Nothing is stuck',
        return: 'Story',
        live: 'shipment.status_changed',
      },
    ],
    [
      'unreachable',
      undefined,
      {
        overview: 'It is not known whether all is well',
        stuck: 'It is not known whether anything is stuck.',
        return: 'This page failed',
        live: 'This page failed',
        find: 'This page failed',
      },
    ],
    [
      'busy',
      undefined,
      {
        overview: 'All well: last complete poll 21 s ago, 0 waiting',
        stuck: 'Nothing is stuck',
        return: '✓\u00a0http://127.0.0.1:3000/hook',
      },
    ],
    [
      'failing',
      'ECONNREFUSED, nothing listens there.',
      { stuck: 'Start the receiver, or correct its port.' },
    ],
    [
      'held',
      'known return groups, items or shipments are missing at once.',
      { overview: 'npx --no returns-feed release --source outlet --hold 7' },
    ],
    [
      'dead',
      'source acme is not polled since 10:15:10: No "watch" runs on this directory.',
      { overview: 'npx --no returns-feed watch', stuck: 'npx --no returns-feed watch' },
    ],
  ])('name the worst problem, and have no accessibility violations: %s', async (state, problem, texts) => {
    const shown = await openConsoleScene(state);
    const findings: Record<string, string[]> = {};

    for (const options of [
      { colorScheme: 'light', viewport: WIDE },
      { colorScheme: 'dark', viewport: PHONE },
    ] as const) {
      const { page, go, close } = await visit(browser, shown.console, options);
      for (const [name, path] of Object.entries({ ...shown.pages, nowhere: '/nowhere' })) {
        // Except for its header, it is the same in all states.
        if (name === 'events') continue;
        await go(path);
        const text = String(await page.locator('body').textContent());
        const worst = (await page.locator('#worst').allTextContents()).join('');
        const isNamed = problem === undefined ? worst === '' : text.includes(problem);
        const found = [
          ...(await findBarriers(page)),
          ...((await page.evaluate<number>(WIDER)) > 0 ? ['too wide'] : []),
          ...(isNamed ? [] : [`not the problem: ${worst}`]),
          ...(text.includes(texts[name] ?? '') ? [] : [`not "${texts[name]}"`]),
        ];
        if (found.length > 0) findings[`${name}, ${options.colorScheme}`] = found;
      }
      await close();
    }

    expect(findings).toEqual({});
    await shown.close();
  });
});

describe.skipIf(lacksBrowser)('the pages of many sources', () => {
  it.each([
    ['light, wide', { colorScheme: 'light' as const, viewport: WIDE }],
    ['dark, on a phone', { colorScheme: 'dark' as const, viewport: PHONE }],
  ])('have no accessibility violations, and a search that leads to its result: %s', async (_, options) => {
    const many = await openManySources(120);
    const { page, go, close, problems } = await visit(browser, many.console, options);
    const findings: Record<string, string[]> = {};

    for (const path of ['/', '/?page=3', '/live']) {
      await go(path);
      const found = await findBarriers(page);
      const wider = await page.evaluate<number>(WIDER);
      if (found.length + wider > 0) findings[path] = [...found, `${wider} pixels too wide`];
    }
    await go('/');
    await page.getByRole('searchbox', { name: 'Name' }).fill('0077');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/source=0077#sources$/);
    const shown = await page.getByRole('region', { name: 'Sources' }).getByRole('row').allTextContents();

    expect(findings).toEqual({});
    expect(shown.slice(1)).toEqual([expect.stringContaining('store-0077')]);
    expect(problems).toEqual([]);
    await close();
    await many.close();
  });
});

/** Elements with content beyond their right edge, where a person would have to scroll to the side. */
const CUT_OFF = `[...document.querySelectorAll('main, main *')]
  .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
  .map((each) => 'cut off: ' + each.outerHTML.slice(0, 200))`;

/** Cells that are lower than their label, which then lies over the next cell. */
const OVERLAPPING = `[...document.querySelectorAll('td')].flatMap((cell) => {
  if (!cell.checkVisibility()) return [];
  const probe = document.createElement('div');
  probe.textContent = cell.dataset.column;
  probe.style.width = getComputedStyle(cell, '::before').width;
  document.body.append(probe);
  const height = probe.offsetHeight;
  probe.remove();
  return cell.offsetHeight + 1 < height ? ['overlapping: ' + cell.outerHTML.slice(0, 200)] : [];
})`;

const BACKTICKS = `[...document.querySelectorAll('main *')]
  .filter((each) => !each.closest('pre, script, style') && [...each.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.textContent.includes('\`')))
  .map((each) => 'backticks: ' + each.textContent.slice(0, 100))`;

/** Selects all visible elements that the Tab key must reach. */
const REACHABLE = `[...document.querySelectorAll(
  'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
  .filter((each) => each.checkVisibility() && !each.closest('details:not([open]) > :not(summary)'))`;

const NOTE_FOCUS = `(() => {
  const each = document.activeElement;
  if (each === document.body) return;
  window.reached.add(each);
  const { outlineStyle, outlineWidth } = getComputedStyle(each);
  if (outlineStyle === 'none' || parseFloat(outlineWidth) < 2) window.dim.push(each.outerHTML.slice(0, 120));
})()`;
