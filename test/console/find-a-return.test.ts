// The console in a browser: a return is found, followed, and compared with the service's present answer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { COMMAND } from '../local/cli/run-feed.ts';
import { ask, openAddress } from './ask-console.ts';
import { lacksBrowser } from './open-browser.ts';
import { rowOf, type ShownGroup, visitedFeed } from './visited-feed.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const feed = visitedFeed();

describe.skipIf(lacksBrowser)('a parcel', () => {
  it('is found by its tracking number, and followed until it is delivered', async () => {
    const parcel = await feed.aParcel();
    const { page } = await feed.open();
    await page.getByRole('searchbox', { name: 'Find' }).fill(parcel.trackingNumber);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Return ${parcel.group}, order` }).waitFor();
    await rowOf({ page }, parcel, 'IN_TRANSIT').waitFor();
    await page.evaluate('window.isSameDocument = true');

    feed.setStatus(parcel, 'DELIVERED');
    await feed.world.tick();

    await rowOf({ page }, parcel, 'DELIVERED').waitFor();
    const story = page.getByRole('region', { name: /Story/ });
    const delivered = story.getByRole('row').filter({ hasText: 'IN_TRANSIT → DELIVERED' });
    await delivered.waitFor();
    await delivered.getByText(/✓\s/).first().waitFor();
    expect(await delivered.textContent()).toContain('poll');
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });

  it.each([
    ['the name of its order', ({ order }: ShownGroup) => String((order as { name: string }).name)],
    ['the id of its return', ({ id }: ShownGroup) => String(id)],
    ['the id of its shipment', ({ shipments }: ShownGroup) => String(shipments[0]?.id)],
    ['kind and id', ({ shipments }: ShownGroup) => `shipment/${shipments[0]?.id}`],
  ])('is found by %s', async (_, textOf) => {
    const [group] = feed.someGroups(1, ({ shipments }) => shipments.length > 0) as [ShownGroup];
    const { page } = await feed.open();

    await page.getByRole('searchbox', { name: 'Find' }).fill(textOf(group));
    await page.getByRole('button', { name: 'Find' }).click();

    await page.getByRole('heading', { level: 1, name: `Return ${group.id}` }).waitFor();
  });

  it('is found by the id of an event', async () => {
    const { group } = await feed.aParcel();
    const event = await vi.waitUntil(() =>
      feed.world.published.find(({ partitionkey }) => partitionkey === `acme/${group}`),
    );
    const { page } = await feed.open();

    await page.getByRole('searchbox', { name: 'Find' }).fill(event.id);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: `Return ${group}` }).waitFor();
  });

  it('is shown by its id before names are searched, and opens once no order has that name', async () => {
    const { group } = await feed.aParcel();
    const { page, go } = await feed.open();
    const path = `/find?q=${group}`;

    const first = await ask(new URL(path, page.url()), { headers: await openAddress(feed.reading) });
    await go(path);

    expect(first.body).toMatch(
      new RegExp(`/returns/acme/${group}".*by the id of a return.*Searching the stored`, 's'),
    );
    await page.getByRole('heading', { level: 1, name: `Return ${group}` }).waitFor();
  });

  it('that does not exist is not found, and the page lists searches that failed', async () => {
    const { page, go } = await feed.open('/find?q=1Z0000000000000000');
    await page.getByText('No return was found.').waitFor();
    const without = await feed.world.openConsole({ token: undefined });
    const other = await feed.open('/', without);

    await other.go('/find?q=1Z0000000000000000');
    await go('/find');

    expect(await other.page.getByRole('main').textContent()).toContain('RETURNS_API_TOKEN');
    await page.getByText('Type a tracking number').waitFor();
  });
});

describe.skipIf(lacksBrowser)('the service’s present answer', () => {
  const ask = { name: /^Ask the service/ };

  it('agrees with the stored state, or is shown with the differences', async () => {
    const parcel = await feed.aParcel();
    const { page } = await feed.open(`/returns/acme/${parcel.group}`);
    await page.getByRole('button', ask).click();
    await page.getByRole('status').filter({ hasText: 'Both agree' }).waitFor();

    feed.setStatus(parcel, 'DELIVERED');
    await page.getByRole('button', ask).click();

    const notice = page.getByRole('status').filter({ hasText: 'They differ' });
    const cells = await notice
      .getByRole('row')
      .filter({ hasText: `shipment/${parcel.shipment}` })
      .textContent();
    expect(cells).toMatch(/IN_TRANSIT.*DELIVERED/);
  });

  it('is reported as missing, and the rest of the page is shown', async () => {
    const parcel = await feed.aParcel();
    const { page } = await feed.open(`/returns/acme/${parcel.group}`);
    feed.world.service.control.setKnob('faultKinds', ['500-json']);
    feed.world.service.control.setKnob('faultRate', 1);

    await page.getByRole('button', ask).click();

    await page.getByRole('status').filter({ hasText: 'did not answer' }).waitFor();
    feed.world.service.control.setKnob('faultRate', 0);
    await rowOf({ page }, parcel, 'IN_TRANSIT').waitFor();
  });
});

describe.skipIf(lacksBrowser)('npm start', () => {
  it('prints the address of a console, where a parcel is found by its tracking number', async () => {
    // Not with the engines of this test's world.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
    const started = spawn(process.execPath, [COMMAND, 'start'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(started, 'exit');
    try {
      const { page, go } = await feed.open('/', { url: await addressIn(started.stderr) }, 30_000);
      await go('/live');
      await page.getByRole('listitem').filter({ hasText: 'shipment.' }).getByRole('link').first().click();
      await page
        .getByRole('row')
        .filter({ hasText: /tracking number \S+/ })
        .first()
        .waitFor();
      const { pathname } = new URL(page.url());
      const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';

      // A parcel may get another number meanwhile.
      await vi.waitFor(async () => {
        await go(pathname);
        const row = page.getByRole('row').filter({ hasText: /tracking number \S+/ });
        const [, trackingNumber = ''] =
          /tracking number (\S+)/.exec((await row.first().textContent()) ?? '') ?? [];
        await go('/');
        await page.getByRole('searchbox', { name: 'Find' }).fill(trackingNumber);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: title }).waitFor({ timeout: 10_000 });
      }, 60_000);

      // A page of the console would log an error for what it still loads when the console ends.
      await page.goto('about:blank');
    } finally {
      started.kill('SIGINT');
    }
    expect(await ended).toEqual([0, null]);
  });
});

/** The address with the token that a process prints. */
async function addressIn(output: Readable): Promise<string> {
  let text = '';
  for await (const part of output.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += part;
    const [url] = /http:\/\/\w+\.localhost:\d+\/\?token=[\w-]+/.exec(text) ?? [];
    if (url !== undefined) {
      output.resume();
      return url;
    }
  }
  throw new Error(`No address was printed: ${text}`);
}
