// The console in a browser: open windows stay up to date.
import type { Locator } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { lacksBrowser } from './open-browser.ts';
import { type Parcel, rowOf, visitedFeed } from './visited-feed.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const feed = visitedFeed();

/** The feed saves its activity only every few seconds, so an event may appear after a later tick. */
async function tickUntilSeen(row: Locator): Promise<void> {
  await vi.waitUntil(
    async () => {
      await feed.world.tick();
      return (await row.count()) > 0;
    },
    { timeout: 30_000, interval: 1_000 },
  );
}

describe.skipIf(lacksBrowser)('the page "Live"', () => {
  it('shows events as they come, filtered, and copies the JSON of one', async () => {
    const [parcel, other] = (await feed.someParcels(2)) as [Parcel, Parcel];
    const { page, context, go } = await feed.open('/live');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('shipment.status_changed');
    await page.getByRole('textbox', { name: 'Status' }).fill('DELIVERED');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/type=shipment/);

    feed.setStatus(other, 'FAILED');
    feed.setStatus(parcel, 'DELIVERED');
    const row = page.getByRole('listitem').filter({ hasText: `shipment ${parcel.shipment}` });
    await tickUntilSeen(row);

    await row.getByText('JSON', { exact: true }).click();
    await row.getByRole('button', { name: 'Copy' }).click();
    await row.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    expect(copied).toEqual(feed.world.published.find(({ id }) => id === copied.id));
    expect(await page.getByRole('main').textContent()).not.toContain(`shipment ${other.shipment}`);
    await go('/live');
    await page
      .getByRole('listitem')
      .filter({ hasText: `shipment ${other.shipment}` })
      .first()
      .waitFor();
  });
});

describe.skipIf(lacksBrowser)('the list of "Live"', () => {
  it('does not move while it is paused: new events wait behind a button', async () => {
    const parcel = await feed.aParcel();
    const { page } = await feed.open('/live');
    const row = page.getByRole('listitem').filter({ hasText: `shipment ${parcel.shipment}: ` });
    const delivered = row.filter({ hasText: '→ DELIVERED' });
    await page.getByRole('button', { name: 'Pause' }).click();
    feed.setStatus(parcel, 'DELIVERED');

    const news = page.getByRole('button', { name: /^Show \d+ new/ });
    await tickUntilSeen(news);
    const whilePaused = await delivered.count();
    await news.click();

    await delivered.first().waitFor();
    expect(whilePaused).toBe(0);
  });

  it('names a status that no event can have, with the nearest one', async () => {
    const { page } = await feed.open('/live?status=DELIVERD');

    await page.getByRole('status').getByRole('link', { name: 'DELIVERED' }).click();

    await page.waitForURL(/status=DELIVERED$/);
  });
});

describe.skipIf(lacksBrowser)('windows', () => {
  it('go back and forward and are reloaded, and stay up to date', async () => {
    const parcel = await feed.aParcel();
    const { page } = await feed.open(`/returns/acme/${parcel.group}`);
    const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
    const nav = page.getByRole('navigation', { name: 'Pages' });
    for (const name of ['Live', 'Stuck', 'Events']) {
      await nav.getByRole('link', { name }).click();
      await heading(name);
      expect(await nav.locator('[aria-current=page]').textContent()).toBe(name);
    }

    await page.goBack();
    await heading('Stuck');
    await page.goBack();
    await page.goBack();
    await heading(`Return ${parcel.group}`);
    feed.setStatus(parcel, 'DELIVERED');
    await feed.world.tick();
    await rowOf({ page }, parcel, 'DELIVERED').waitFor();
    await page.goForward();
    await heading('Live');
    await page.reload();
    await heading('Live');
    await page.getByRole('status').filter({ hasText: 'Kept up to date' }).waitFor();
  });

  it('that are open at the same time are all kept up to date', async () => {
    const parcel = await feed.aParcel();
    const { page, openWindow } = await feed.open(`/returns/acme/${parcel.group}`);
    const windows = [page, await openWindow(`/returns/acme/${parcel.group}`)];

    feed.setStatus(parcel, 'DELIVERED');
    await feed.world.tick();

    await Promise.all(windows.map((each) => rowOf({ page: each }, parcel, 'DELIVERED').waitFor()));
  });

  it('show that the tables do not answer, and recover on their own', async () => {
    const parcel = await feed.aParcel();
    const { page } = await feed.open(`/returns/acme/${parcel.group}`);
    const freshness = page.getByRole('status');
    await freshness.filter({ hasText: 'Kept up to date' }).waitFor();
    try {
      feed.world.wire.cut();
      await freshness.filter({ hasText: 'Not up to date' }).waitFor({ timeout: 20_000 });
    } finally {
      feed.world.wire.mend();
    }

    await freshness.filter({ hasText: 'Kept up to date' }).waitFor();
    feed.setStatus(parcel, 'DELIVERED');
    await feed.world.tick();
    await rowOf({ page }, parcel, 'DELIVERED').waitFor();
  });
});
