import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFindPage } from '../../local/console/find-page.ts';
import { textOf } from '../../local/console/html.ts';
import { NotAskedError } from '../../shared/finding/asking.ts';
import { type ConsoleScene, openConsoleScene } from './console-scene.ts';

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
  return { world, show };
}

test('the last stage of a search does not ask the service again, and shows what it said', async () => {
  const { world, show } = openFindPage();
  await show('service');
  const askedBefore = world.asked;

  const last = await show('items');

  expect(askedBefore).toBeGreaterThan(0);
  expect(world.asked).toBe(askedBefore);
  expect(last).toContain('tracking number');
  expect(last).toContain('No token is set.');
});

test('a search for another text, or one that is repeated, asks the service', async () => {
  const { world, show } = openFindPage();
  await show('service');
  const once = world.asked;

  await show('items', '1Z0000000000000001');
  const other = world.asked;
  await show('items', '1Z0000000000000001');

  expect([other, world.asked]).toEqual([2 * once, 3 * once]);
});
