import { expect, test } from 'vitest';
import type { PageRequest } from '../../../shared/reading/page.ts';
import { withRoom } from '../../../shared/reading/reading-room.ts';
import { aPage, rowsOf } from './some-rows.ts';

test('there is room for as many requests as the maximum of pages', async () => {
  const { fetch, hasRoom } = withRoom({ fetch: async (_: PageRequest) => aPage(rowsOf(1)), maxPages: 2 });

  const before = hasRoom();
  await fetch({ range: {}, offset: 0 });
  const afterOne = hasRoom();
  await fetch({ range: {}, offset: 1 });

  expect([before, afterOne, hasRoom()]).toEqual([true, true, false]);
});

test('there is no room where the options have none', () => {
  let hasTime = true;
  const fetch = async (_: PageRequest) => aPage(rowsOf(1));
  const { hasRoom } = withRoom({ fetch, maxPages: 2, hasRoom: () => hasTime });

  const before = hasRoom();
  hasTime = false;

  expect([before, hasRoom()]).toEqual([true, false]);
});
