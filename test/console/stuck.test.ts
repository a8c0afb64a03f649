// The console in a browser: what is stuck, and the buttons for it.
import type { Locator } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { ask, openAddress } from './ask-console.ts';
import { openConsoleScene } from './console-scene.ts';
import { lacksBrowser } from './open-browser.ts';
import { visit } from './visit.ts';
import { visitedFeed } from './visited-feed.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const feed = visitedFeed({ received: 500 });

// Must run first: a webhook that accepted an event in the last minute does not count as failing.
describe.skipIf(lacksBrowser)('a webhook that fails', () => {
  it('is shown as failing until it accepts events again', async () => {
    const { page, openWindow } = await feed.open('/');
    const stuck = await openWindow('/stuck');
    const line = page
      .getByRole('region', { name: 'Destinations' })
      .getByRole('row', { name: /http:\/\/127/ });

    await feed.someParcels(6);

    await line.filter({ hasText: 'failing' }).waitFor({ timeout: 30_000 });
    const cause = stuck.getByRole('heading', { level: 2, name: /Failing.*http:\/\/127/ });
    await cause.waitFor();
    expect(await stuck.getByRole('main').textContent()).toContain('500');
    await stuck
      .getByText(/Waiting: \d+ returns?\. Tried: \d+ returns?, with \d+ failed attempts? in a row/)
      .waitFor();
    feed.world.receiver.answer = () => 204;
    await feed.aParcel();
    await line.filter({ hasText: 'all sent' }).waitFor({ timeout: 60_000 });
    await cause.waitFor({ state: 'detached', timeout: 30_000 });
  });
});

/** Removes more entities at once than the guard allows without a hold. */
const LOST = 25;

describe.skipIf(lacksBrowser)('a hold', () => {
  it('is shown and released after a confirmation, and the held changes are published', async () => {
    const groups = feed.someGroups(LOST, ({ returns }) => Array.isArray(returns) && returns.length > 0);
    const ids = groups.map(({ id }) => Number(id));
    for (const id of ids) feed.world.service.control.mutate(id, ({ returns }) => void returns.splice(0));
    // Look-ups confirm one removal after the other, until they are too many.
    await vi.waitUntil(
      async () => {
        await feed.world.tick();
        return (await feed.world.open.stateOf('acme')).holds.length > 0;
      },
      { timeout: 30_000, interval: 1_000 },
    );
    const { page } = await feed.open('/');
    const held = page.getByRole('region', { name: 'Sources' }).getByRole('cell', { name: /held/ });
    await held.waitFor();
    const acting = await feed.world.openConsole({ acts: true });
    const visited = await feed.open('/stuck', acting);
    const { page: stuck } = visited;
    await stuck.getByRole('heading', { level: 2, name: /Held.*source acme, hold 1/ }).waitFor();
    expect(removals(ids).length).toBeLessThan(ids.length);

    await stuck.getByRole('button', { name: 'Release hold 1' }).click();
    await stuck.getByRole('heading', { level: 1, name: 'Are you sure?' }).waitFor();
    expect((await feed.world.open.stateOf('acme')).holds).toMatchObject([{ phase: 'holding' }]);
    await stuck.getByRole('link', { name: 'Cancel' }).click();
    await stuck.getByRole('button', { name: 'Release hold 1' }).click();
    await stuck.getByRole('button', { name: 'Release hold 1' }).click();
    await stuck.getByRole('status').filter({ hasText: 'Hold 1 of source acme is over' }).waitFor();

    await vi.waitUntil(
      async () => {
        await feed.world.tick();
        return removals(ids).length === ids.length;
      },
      { timeout: 30_000, interval: 1_000 },
    );
    await held.waitFor({ state: 'detached' });
  });

  /** The groups among these with a published removal of an item. */
  function removals(ids: readonly number[]): number[] {
    const removed = feed.world.published.filter(({ type }) => type === 'return_line_item.removed');
    const groups = removed.map(({ partitionkey }) => Number(partitionkey.split('/')[1]));
    return ids.filter((id) => groups.includes(id));
  }
});

describe.skipIf(lacksBrowser)('a form that names nothing that exists', () => {
  it.each([
    ['a hold', 'release', 'source=acme&hold=99', 404, 'Source acme has no hold 99'],
    ['a source', 'release', 'source=nope&hold=1', 404, 'no source &#34;nope&#34;'],
    ['a source, confirmed', 'adopt', 'source=nope&hold=1&confirmed=yes', 404, 'no source &#34;nope&#34;'],
    ['a source to try again', 'redrive', 'source=nope&group=1&to=watch', 404, 'no source &#34;nope&#34;'],
    ['a destination', 'redrive', 'source=acme&group=1&to=nowhere', 400, 'no destination &#34;nowhere&#34;'],
    ['a destination to try again', 'redrive-all', 'to=nowhere', 400, 'no destination &#34;nowhere&#34;'],
    ['a webhook', 'resume', 'webhook=nope', 404, 'no webhook &#34;nope&#34;'],
    ['no event', 'skip', 'source=acme', 400, 'The form has no &#34;skip&#34;'],
    ['no number', 'skip', 'source=acme&group=1&to=watch&skip=x', 400, 'is no number'],
  ])('is answered with a sentence: %s', async (_, action, body, status, sentence) => {
    const acting = await feed.world.openConsole({ acts: true });
    const { origin } = new URL(acting.url);
    const headers = {
      ...(await openAddress(acting)),
      origin,
      'content-type': 'application/x-www-form-urlencoded',
    };

    const answer = await ask(`${origin}/act/${action}`, { method: 'POST', headers, body });

    expect(answer.status).toBe(status);
    expect(answer.body).toContain(sentence);
    expect(answer.body).not.toContain('This page failed');
  });
});

describe.skipIf(lacksBrowser)('returns that a destination refuses', () => {
  it('are tried again together, apart from the skipping of one, which asks', async () => {
    const scene = await openConsoleScene('failing');
    const { page, go, close, problems } = await visit(feed.browser, scene.console);
    await go('/stuck');
    const table = page.getByRole('region', { name: 'Behind at the bus' });
    const skip = table.getByRole('button', { name: 'Skip event 2' }).first();
    const distances: number[] = [];
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const [tried, skipped] = [
        await boxOf(table.getByRole('button', { name: 'Try again' })),
        await boxOf(skip),
      ];
      distances.push(Math.max(skipped.x - tried.x - tried.width, skipped.y - tried.y - tried.height));
    }

    await skip.click();
    await page.getByRole('heading', { name: 'Are you sure?' }).waitFor();
    await go('/stuck');
    await page.getByRole('button', { name: 'Try all again' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: 'the bus: 2 returns: its sender tries again.' })
      .waitFor();

    await table.waitFor({ state: 'detached' });
    expect(Math.min(...distances)).toBeGreaterThan(15);
    expect(problems).toEqual([]);
    await close();
    await scene.close();
  });
});

/** Of the first of these. It has none while the page is brought up to date. */
function boxOf(buttons: Locator) {
  return vi.waitUntil(() => buttons.first().boundingBox(), { timeout: 10_000 });
}

describe.skipIf(lacksBrowser)('a console without --act', () => {
  it('has neither the buttons nor their routes', async () => {
    const { page } = await feed.open('/stuck');
    const { origin } = new URL(feed.reading.url);
    const access = await openAddress(feed.reading);

    const answers = await Promise.all(
      ['release', 'resume', 'redrive', 'redrive-all', 'skip'].map((name) =>
        ask(`${origin}/act/${name}`, {
          method: 'POST',
          headers: { ...access, origin, 'content-type': 'application/x-www-form-urlencoded' },
          body: 'source=acme&hold=1&webhook=any&confirmed=yes',
        }),
      ),
    );

    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
    expect(await page.getByRole('main').locator('form').count()).toBe(0);
  });
});
