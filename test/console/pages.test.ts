// The console in a browser, on a running feed: a person's tasks on each page.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Console } from '../../local/console/console-server.ts';
import type { ReferenceService } from '../../local/reference-service/create-reference-service.ts';
import { COMMAND } from '../local/cli/run-feed.ts';
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts';
import { lacksBrowser, openBrowser } from './open-browser.ts';
import { type Visit, visit } from './visit.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

let world: ConsoleWorld;
let browser: Browser;
let reading: Console;
const visits: Visit[] = [];

beforeAll(async () => {
  if (lacksBrowser) return;
  [world, browser] = await Promise.all([openConsoleWorld({ groups: 80, received: 500 }), openBrowser()]);
  reading = await world.openConsole();
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});
afterEach(async () => {
  const ended = visits.splice(0);
  const problems = ended.flatMap((each) => each.problems);
  await Promise.all(ended.map((each) => each.close()));
  expect(problems).toEqual([]);
});

async function open(path = '/', console = reading): Promise<Visit> {
  const opened = await visit(browser, console);
  visits.push(opened);
  if (path !== '/') await opened.go(path);
  return opened;
}

type ShownGroup = ReturnType<ReferenceService['control']['snapshot']>[number];
const taken = new Set<unknown>();

/** Groups that no other test changes. */
function someGroups(count: number, suits: (group: ShownGroup) => boolean = () => true): ShownGroup[] {
  const groups = world.service.control
    .snapshot()
    .filter((group) => !taken.has(group.id) && suits(group))
    .slice(0, count);
  expect(groups).toHaveLength(count);
  for (const { id } of groups) taken.add(id);
  return groups;
}

interface Parcel {
  readonly group: number;
  readonly shipment: number;
  readonly trackingNumber: string;
}

/** Parcels in transit that the feed has read. */
async function someParcels(count: number): Promise<Parcel[]> {
  const groups = someGroups(count, ({ shipments }) => shipments[0]?.tracking_number != null);
  const parcels = groups.map(({ id, shipments: [shipment] }) => ({
    group: Number(id),
    shipment: Number(shipment?.id),
    trackingNumber: String(shipment?.tracking_number),
  }));
  for (const parcel of parcels) setStatus(parcel, 'IN_TRANSIT');
  await world.tick();
  return parcels;
}

async function aParcel(): Promise<Parcel> {
  const [parcel] = (await someParcels(1)) as [Parcel];
  return parcel;
}

function setStatus({ group }: Pick<Parcel, 'group'>, status: string): void {
  world.service.control.mutate(group, ({ shipments }) => {
    if (shipments[0]) shipments[0].status = status;
  });
}

/** The shipment's row in the return's table of entities. */
const rowOf = ({ page }: Pick<Visit, 'page'>, { shipment }: Parcel, status: string) =>
  page
    .getByRole('region', { name: /Items/ })
    .getByRole('row', { name: `shipment ${shipment}` })
    .getByText(status, { exact: true });

// Must run first: a webhook that accepted an event in the last minute does not count as failing.
describe.skipIf(lacksBrowser)('a webhook that fails', () => {
  it('is shown as failing until it accepts events again', async () => {
    const { page, openWindow } = await open('/');
    const stuck = await openWindow('/stuck');
    const line = page.getByRole('region', { name: 'Destinations' }).getByRole('row', { name: /webhook/ });

    await someParcels(6);

    await line.filter({ hasText: 'failing' }).waitFor({ timeout: 30_000 });
    const cause = stuck.getByRole('heading', { level: 2, name: /Failing.*webhook/ });
    await cause.waitFor();
    expect(await stuck.getByRole('main').textContent()).toContain('500');
    world.receiver.answer = () => 204;
    await aParcel();
    await line.filter({ hasText: 'working' }).waitFor({ timeout: 60_000 });
    await cause.waitFor({ state: 'detached', timeout: 30_000 });
  });
});

describe.skipIf(lacksBrowser)('a parcel', () => {
  it('is found by its tracking number, and followed until it is delivered', async () => {
    const parcel = await aParcel();
    const { page } = await open();
    await page.getByRole('searchbox', { name: 'Find' }).fill(parcel.trackingNumber);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Return ${parcel.group}, order` }).waitFor();
    await rowOf({ page }, parcel, 'IN_TRANSIT').waitFor();
    await page.evaluate('window.isSameDocument = true');

    setStatus(parcel, 'DELIVERED');
    await world.tick();

    await rowOf({ page }, parcel, 'DELIVERED').waitFor();
    const story = page.getByRole('region', { name: /Story/ });
    const delivered = story.getByRole('row').filter({ hasText: 'IN_TRANSIT → DELIVERED' });
    await delivered.waitFor();
    await delivered.getByText(/✓ /).first().waitFor();
    expect(await delivered.textContent()).toContain('poll');
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });

  it.each([
    ['the name of its order', ({ order }: ShownGroup) => String((order as { name: string }).name)],
    ['the id of its return', ({ id }: ShownGroup) => String(id)],
    ['the id of its shipment', ({ shipments }: ShownGroup) => String(shipments[0]?.id)],
    ['kind and id', ({ shipments }: ShownGroup) => `shipment/${shipments[0]?.id}`],
  ])('is found by %s', async (_, textOf) => {
    const [group] = someGroups(1, ({ shipments }) => shipments.length > 0) as [ShownGroup];
    const { page } = await open();

    await page.getByRole('searchbox', { name: 'Find' }).fill(textOf(group));
    await page.getByRole('button', { name: 'Find' }).click();

    await page.getByRole('heading', { level: 1, name: `Return ${group.id}` }).waitFor();
  });

  it('is found by the id of an event', async () => {
    const { group } = await aParcel();
    const event = await vi.waitUntil(() =>
      world.published.find(({ partitionkey }) => partitionkey === `acme/${group}`),
    );
    const { page } = await open();

    await page.getByRole('searchbox', { name: 'Find' }).fill(event.id);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { level: 1, name: `Return ${group}` }).waitFor();
  });

  it('is shown by its id before the service is asked, and opens once no order has that name', async () => {
    const { group } = await aParcel();
    const { page, go } = await open();
    const path = `/find?q=${group}`;

    const first = await page.request.get(new URL(path, page.url()).href);
    await go(path);

    expect(await first.text()).toMatch(
      new RegExp(`/returns/acme/${group}".*by the id of a return.*Asking the service`, 's'),
    );
    await page.getByRole('heading', { level: 1, name: `Return ${group}` }).waitFor();
  });

  it('that does not exist is not found, and the page lists searches that failed', async () => {
    const { page, go } = await open('/find?q=1Z0000000000000000');
    await page.getByText('No return was found.').waitFor();
    const without = await world.openConsole({ token: undefined });
    const other = await visit(browser, without);
    visits.push(other);

    await other.go('/find?q=1Z0000000000000000');
    await go('/find');

    expect(await other.page.getByRole('main').textContent()).toContain('RETURNS_API_TOKEN');
    await page.getByText('Type a tracking number').waitFor();
  });
});

describe.skipIf(lacksBrowser)('the service’s present answer', () => {
  const ask = { name: /^Ask the service/ };

  it('agrees with the stored state, or is shown with the differences', async () => {
    const parcel = await aParcel();
    const { page } = await open(`/returns/acme/${parcel.group}`);
    await page.getByRole('button', ask).click();
    await page.getByRole('status').filter({ hasText: 'Both agree' }).waitFor();

    setStatus(parcel, 'DELIVERED');
    await page.getByRole('button', ask).click();

    const notice = page.getByRole('status').filter({ hasText: 'They differ' });
    const cells = await notice
      .getByRole('row')
      .filter({ hasText: `shipment/${parcel.shipment}` })
      .textContent();
    expect(cells).toMatch(/IN_TRANSIT.*DELIVERED/);
  });

  it('is reported as missing, and the rest of the page is shown', async () => {
    const parcel = await aParcel();
    const { page } = await open(`/returns/acme/${parcel.group}`);
    world.service.control.setKnob('faultKinds', ['500-json']);
    world.service.control.setKnob('faultRate', 1);

    await page.getByRole('button', ask).click();

    await page.getByRole('status').filter({ hasText: 'did not answer' }).waitFor();
    world.service.control.setKnob('faultRate', 0);
    await rowOf({ page }, parcel, 'IN_TRANSIT').waitFor();
  });
});

/** The feed saves its activity only every few seconds, so an event may appear after a later tick. */
async function tickUntilSeen(row: Locator): Promise<void> {
  await vi.waitUntil(
    async () => {
      await world.tick();
      return (await row.count()) > 0;
    },
    { timeout: 30_000, interval: 1_000 },
  );
}

describe.skipIf(lacksBrowser)('the page "Live"', () => {
  it('shows events as they come, filtered, and copies the JSON of one', async () => {
    const [parcel, other] = (await someParcels(2)) as [Parcel, Parcel];
    const { page, context, go } = await open('/live');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('shipment.status_changed');
    await page.getByRole('textbox', { name: 'Status' }).fill('DELIVERED');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/type=shipment/);

    setStatus(other, 'FAILED');
    setStatus(parcel, 'DELIVERED');
    const row = page.getByRole('listitem').filter({ hasText: `shipment ${parcel.shipment}` });
    await tickUntilSeen(row);

    await row.getByText('JSON', { exact: true }).click();
    await row.getByRole('button', { name: 'Copy' }).click();
    await row.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    expect(copied).toEqual(world.published.find(({ id }) => id === copied.id));
    expect(await page.getByRole('main').textContent()).not.toContain(`shipment ${other.shipment}`);
    await go('/live');
    await page
      .getByRole('listitem')
      .filter({ hasText: `shipment ${other.shipment}` })
      .first()
      .waitFor();
  });
});

describe.skipIf(lacksBrowser)('windows', () => {
  it('go back and forward and are reloaded, and stay up to date', async () => {
    const parcel = await aParcel();
    const { page } = await open(`/returns/acme/${parcel.group}`);
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
    setStatus(parcel, 'DELIVERED');
    await world.tick();
    await rowOf({ page }, parcel, 'DELIVERED').waitFor();
    await page.goForward();
    await heading('Live');
    await page.reload();
    await heading('Live');
    await page.getByRole('status').filter({ hasText: 'Kept up to date' }).waitFor();
  });

  it('that are open at the same time are all kept up to date', async () => {
    const parcel = await aParcel();
    const { page, openWindow } = await open(`/returns/acme/${parcel.group}`);
    const windows = [page, await openWindow(`/returns/acme/${parcel.group}`)];

    setStatus(parcel, 'DELIVERED');
    await world.tick();

    await Promise.all(windows.map((each) => rowOf({ page: each }, parcel, 'DELIVERED').waitFor()));
  });

  it('show that the tables do not answer, and recover on their own', async () => {
    const parcel = await aParcel();
    const { page } = await open(`/returns/acme/${parcel.group}`);
    const freshness = page.getByRole('status');
    await freshness.filter({ hasText: 'Kept up to date' }).waitFor();
    try {
      world.wire.cut();
      await freshness.filter({ hasText: 'Not up to date' }).waitFor({ timeout: 20_000 });
    } finally {
      world.wire.mend();
    }

    await freshness.filter({ hasText: 'Kept up to date' }).waitFor();
    setStatus(parcel, 'DELIVERED');
    await world.tick();
    await rowOf({ page }, parcel, 'DELIVERED').waitFor();
  });
});

/** Removes more entities at once than the guard allows without a hold. */
const LOST = 25;

describe.skipIf(lacksBrowser)('a hold', () => {
  it('is shown and released after a confirmation, and the held changes are published', async () => {
    const groups = someGroups(LOST, ({ returns }) => Array.isArray(returns) && returns.length > 0);
    const ids = groups.map(({ id }) => Number(id));
    for (const id of ids) world.service.control.mutate(id, ({ returns }) => void returns.splice(0));
    await world.tick();
    const { page } = await open('/');
    const held = page.getByRole('region', { name: 'Sources' }).getByRole('cell', { name: /held/ });
    await held.waitFor();
    const acting = await world.openConsole({ acts: true });
    const visited = await open('/stuck', acting);
    const { page: stuck } = visited;
    await stuck.getByRole('heading', { level: 2, name: /Held.*source acme, hold 1/ }).waitFor();
    expect(removals(ids)).toEqual([]);

    await stuck.getByRole('button', { name: 'Release hold 1' }).click();
    await stuck.getByRole('heading', { level: 1, name: 'Are you sure?' }).waitFor();
    expect((await world.open.stateOf('acme')).guarding.holds).toHaveLength(1);
    await stuck.getByRole('link', { name: 'Cancel' }).click();
    await stuck.getByRole('button', { name: 'Release hold 1' }).click();
    await stuck.getByRole('button', { name: 'Release hold 1' }).click();
    await stuck.getByRole('status').filter({ hasText: 'Hold 1 of source acme is released' }).waitFor();

    await vi.waitUntil(
      async () => {
        await world.tick();
        return removals(ids).length === ids.length;
      },
      { timeout: 30_000, interval: 1_000 },
    );
    await held.waitFor({ state: 'detached' });
  });

  /** The groups among these with a published removal of an item. */
  function removals(ids: readonly number[]): number[] {
    const removed = world.published.filter(({ type }) => type === 'return_line_item.removed');
    const groups = removed.map(({ partitionkey }) => Number(partitionkey.split('/')[1]));
    return ids.filter((id) => groups.includes(id));
  }
});

describe.skipIf(lacksBrowser)('a console without --act', () => {
  it('has neither the buttons nor their routes', async () => {
    const { page, context } = await open('/stuck');
    const { origin } = new URL(reading.url);

    const answers = await Promise.all(
      ['release', 'resume', 'redrive', 'skip'].map((name) =>
        context.request.post(`${origin}/act/${name}`, {
          headers: { origin },
          form: { source: 'acme', hold: '1', webhook: 'any', confirmed: 'yes' },
        }),
      ),
    );

    expect(answers.map((answer) => answer.status())).toEqual([404, 404, 404, 404]);
    expect(await page.getByRole('main').locator('form').count()).toBe(0);
  });
});

describe.skipIf(lacksBrowser)('npm start', () => {
  it('prints the address of a console, where a parcel is found by its tracking number', async () => {
    // Not with the engines of this test's world.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_')));
    const started = spawn(process.execPath, [COMMAND, 'start'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(started, 'exit');
    try {
      const { page, go } = await visitAt(await addressIn(started.stderr));
      await go('/live');
      await page.getByRole('listitem').filter({ hasText: 'shipment.' }).getByRole('link').first().click();
      const row = page
        .getByRole('row')
        .filter({ hasText: /tracking number \S+/ })
        .first();
      const trackingNumber = /tracking number (\S+)/.exec((await row.textContent()) ?? '')?.[1] ?? '';
      const title = await page.getByRole('heading', { level: 1 }).textContent();
      await go('/');

      await page.getByRole('searchbox', { name: 'Find' }).fill(trackingNumber);
      await page.keyboard.press('Enter');

      await page.getByRole('heading', { level: 1, name: title ?? '' }).waitFor();
      // A page with a stream would log an error when the console ends.
      await go('/catalogue');
    } finally {
      started.kill('SIGINT');
    }
    expect(await ended).toEqual([0, null]);
  });

  async function visitAt(url: string): Promise<Visit> {
    const opened = await visit(browser, { url }, {}, 30_000);
    visits.push(opened);
    return opened;
  }
});

/** The address with the token that a process prints. */
async function addressIn(output: Readable): Promise<string> {
  let text = '';
  for await (const part of output.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += part;
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+/.exec(text) ?? [];
    if (url !== undefined) {
      output.resume();
      return url;
    }
  }
  throw new Error(`No address was printed: ${text}`);
}
