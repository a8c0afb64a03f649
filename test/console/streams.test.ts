// The streams that update open pages: they end with their page, pause while it is hidden, and report failures. The pages
// here belong to the test and render every few milliseconds, so that one stream can measure time for another.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Console, startConsole } from '../../local/console/console-server.ts';
import { html } from '../../local/console/html.ts';
import { begin, openAddress } from './ask-console.ts';
import { lacksBrowser, openBrowser } from './open-browser.ts';
import { visit } from './visit.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** While a running stream renders this often, another running stream renders at least once. */
const ROUNDS = 25;

let console: Console;
let access: { readonly cookie: string };
let fails: boolean;
/** The number of times that each stream rendered, by the name in its address. */
const rounds = new Map<string, number>();

beforeAll(async () => {
  console = await startConsole({
    port: 0,
    place: '--data state',
    pages: [
      {
        path: '/',
        updates: { everyMs: 5 },
        async render({ fields: { who = '', stream } }) {
          if (stream !== undefined) rounds.set(who, (rounds.get(who) ?? 0) + 1);
          if (fails) throw new Error('The tables do not answer.');
          return {
            title: 'Test',
            body: html`<h1>Test</h1><input aria-label="Text"><p>Round ${rounds.get(who) ?? 0}</p>`,
          };
        },
      },
    ],
    actions: [],
  });
  access = await openAddress(console);
});
afterAll(() => console.close());
beforeEach(() => {
  fails = false;
  rounds.clear();
});

const roundsOf = (who: string) => rounds.get(who) ?? 0;

/** Resolves when a stream has rendered `more` times again. */
async function goesOn(who: string, more = ROUNDS): Promise<void> {
  const from = roundsOf(who);
  await vi.waitUntil(() => roundsOf(who) >= from + more, { timeout: 20_000, interval: 5 });
}

/** Resolves when these streams render no more: a browser ends its connection when it likes. */
async function comeToRest(clock: string, ...whos: string[]): Promise<void> {
  const all = () => String(whos.map(roundsOf));
  let before = '';
  await vi.waitUntil(
    async () => {
      before = all();
      await goesOn(clock);
      return all() === before;
    },
    { timeout: 20_000 },
  );
}

interface Stream {
  readonly received: () => string;
  leave(): void;
}

async function openStream(who: string): Promise<Stream> {
  const answer = await begin(new URL(`/?stream=1&who=${who}`, console.url), { headers: access });
  let text = '';
  answer.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  answer.on('error', () => {});
  return { received: () => text, leave: () => answer.destroy() };
}

describe('a stream', () => {
  it('stops reading when its page is closed', async () => {
    const [left, other] = [await openStream('left'), await openStream('other')];
    await goesOn('left', 3);

    left.leave();
    await comeToRest('other', 'left');
    const then = roundsOf('left');
    await goesOn('other');

    expect(roundsOf('left')).toBe(then);
    other.leave();
  });

  it('reports a failure, continues, and reports the recovery', async () => {
    const stream = await openStream('it');
    await goesOn('it', 2);

    fails = true;
    await goesOn('it', 5);
    fails = false;
    await goesOn('it', 2);

    const problems = stream.received().match(/^event: problem\ndata: Not up to date\. .*answer\./gm);
    expect(problems).not.toBeNull();
    expect(problems?.[0]).toContain('The tables do not answer.');
    expect(stream.received()).toContain('event: well');
    stream.leave();
  });
});

describe.skipIf(lacksBrowser)('a window', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('reads nothing while it is hidden, or after it is closed', async () => {
    const { openWindow, close, problems } = await visit(browser, console);
    const [hidden, closed] = [await openWindow('/?who=hidden'), await openWindow('/?who=closed')];
    const clock = await openStream('clock');
    await goesOn('hidden', 2);
    await goesOn('closed', 2);

    await hidden.evaluate(`
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await closed.close();
    await comeToRest('clock', 'hidden', 'closed');
    const then = [roundsOf('hidden'), roundsOf('closed')];
    await goesOn('clock');

    expect([roundsOf('hidden'), roundsOf('closed')]).toEqual(then);
    await hidden.evaluate(`
      Object.defineProperty(document, 'hidden', { value: false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await goesOn('hidden', 2);
    expect(problems).toEqual([]);
    clock.leave();
    await close();
  });

  it('keeps what a person types while new content comes', async () => {
    const { page, go, close } = await visit(browser, console);
    await go('/?who=typing');
    await goesOn('typing', 2);

    // Until the field has the focus, new content may replace it.
    await vi.waitUntil(() =>
      page.evaluate<boolean>(`(() => {
        document.querySelector('main input').focus();
        return document.activeElement.matches('main input');
      })()`),
    );
    await page.keyboard.type('kept');
    await goesOn('typing');

    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('kept');
    await close();
  });

  it('shows a bar once nothing was heard for ten seconds, until the console answers again', async () => {
    const ending = await startConsole({
      port: 0,
      place: '',
      pages: [
        {
          path: '/',
          updates: { everyMs: 5 },
          render: async () => ({ title: 'Test', body: html`<h1>Test</h1>` }),
        },
      ],
      actions: [],
    });
    const { page, close, go } = await visit(browser, ending);
    await page.clock.install();
    await go('/');
    const bar = page.getByRole('alert');
    await page.getByRole('status').filter({ hasText: 'Kept up to date.' }).waitFor();
    await page.clock.runFor(60_000);
    await page.getByRole('status').filter({ hasText: 'Kept up to date.' }).waitFor();

    await ending.close();
    await page.getByRole('status').filter({ hasText: 'Not up to date' }).waitFor();
    await page.clock.runFor(8_000);
    const early = await bar.isVisible();
    await page.clock.runFor(4_000);

    expect(early).toBe(false);
    await bar.filter({ hasText: 'Is the console still running?' }).waitFor();
    await close();
  });
});
