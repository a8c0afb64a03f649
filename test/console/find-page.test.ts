import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFindPage } from '../../local/console/find-page.ts';
import { textOf } from '../../local/console/html.ts';
import { NotAskedError } from '../../shared/finding/asking.ts';
import { ask, openAddress } from './ask-console.ts';
import { type ConsoleScene, openConsoleScene, SCENE_GROUP } from './console-scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await openConsoleScene();
});
afterAll(() => scene.close());

/** A page whose requests to the service fail, and how often it asked. */
function openFindPage() {
  const world = { asked: 0 };
  const ask = async () => {
    world.asked += 1;
    throw new NotAskedError('No token is set.');
  };
  const page = createFindPage({ ...scene.feed, openAccess: () => ({ find: ask, ask, close() {} }) });
  const show = async (stage: string, text = '1Z0000000000000000') => {
    const shown = await page.render({ params: {}, fields: { q: text, in: stage } });
    return 'body' in shown ? textOf(shown.body) : '';
  };
  return { world, page, show };
}

test('the stored returns are searched first, and the service is asked once, in the last stage', async () => {
  const { world, show } = openFindPage();
  await show('stored');
  const askedBefore = world.asked;

  const last = await show('service');

  expect(askedBefore).toBe(0);
  expect(world.asked).toBeGreaterThan(0);
  expect(last).toContain('tracking number');
  expect(last).toContain('No token is set.');
});

test('a problem that several searches had is shown once, with all of them', async () => {
  const { show } = openFindPage();

  const shown = await show('service');

  expect(shown.match(/No token is set\./g)).toHaveLength(1);
  expect(shown).toMatch(/No token is set\. \(source acme, tracking number; .*; and 1 more\)/);
});

test('what was searched stays in the box, to be corrected', async () => {
  const { url } = scene.console;
  const { cookie } = await openAddress({ url });

  const { body } = await ask(new URL('/find?q=1Z0"0&in=service', url), { headers: { cookie } });

  expect(body).toMatch(/<input id="q" name="q" type="search" value="1Z0&#34;0"/);
});

test('a stored return opens by the name of its order, in any spelling, without the service', async () => {
  const { world, page } = openFindPage();

  const opened = await page.render({
    params: {},
    fields: { q: await orderOf(SCENE_GROUP), in: 'stored' },
  });

  expect(opened).toMatchObject({ to: expect.stringMatching(/^\/returns\/acme\/\d+$/) });
  expect(world.asked).toBe(0);
});

/** The name of a group's order, without its signs. */
async function orderOf(group: number): Promise<string> {
  const source = await scene.feed.stateOf('acme');
  const snapshot = (await scene.feed.store.load(source, [group])).get(group);
  return String(snapshot?.projection.group.order.name).replace('#', '');
}
