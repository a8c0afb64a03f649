import { expect, test } from 'vitest';
import { startConsole } from '../../local/console/console-server.ts';
import { html } from '../../local/console/html.ts';
import { takeTurns } from '../../local/console/take-turns.ts';
import { ask, begin, openAddress } from './ask-console.ts';

test('at most so many works run at a time, the others in order, and one that fails makes room too', async () => {
  const inTurn = takeTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const works = [0, 1, 2, 3].map((work) =>
    inTurn(async () => {
      begun.push(work);
      await new Promise<void>((resolve, reject) =>
        ends.push(() => (work === 0 ? reject(new Error('failed')) : resolve())),
      );
      return work;
    }).catch((error: Error) => error.message),
  );
  const after: number[][] = [];
  for (let ended = 0; ended < works.length; ended += 1) {
    after.push([...begun]);
    ends[ended]?.();
    await works[ended];
  }

  expect(after).toEqual([
    [0, 1],
    [0, 1, 2],
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ]);
  expect(await Promise.all(works)).toEqual(['failed', 1, 2, 3]);
});

test('sixty windows open at once, and eight of their pages are read at a time', async () => {
  let [running, most] = [0, 0];
  const console = await startConsole({
    port: 0,
    place: '',
    pages: [
      {
        path: '/',
        updates: { everyMs: 1 },
        async render() {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          return { title: 'Test', body: html`` };
        },
      },
    ],
    actions: [],
  });
  const headers = await openAddress(console);
  const windows = Array.from({ length: 60 }, (_, window) => window);

  const pages = await Promise.all(windows.map(() => ask(new URL('/', console.url), { headers })));
  const streams = await Promise.all(
    windows.map(() => begin(new URL('/?stream=1', console.url), { headers })),
  );
  await Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('data', resolve))));
  for (const stream of streams) stream.destroy();
  await console.close();

  expect(pages.every(({ status }) => status === 200)).toBe(true);
  expect(most).toBe(8);
});
