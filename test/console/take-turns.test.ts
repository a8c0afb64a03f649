import { expect, test } from 'vitest';
import { startConsole } from '../../local/console/console-server.ts';
import { html } from '../../local/console/html.ts';
import { TooBusyError, takeTurns } from '../../local/http/take-turns.ts';
import { ask, begin, openAddress } from './ask-console.ts';

test('at most so many works run at a time, the others in order, and one that fails makes room too', async () => {
  const inTurn = takeTurns(2, 2);
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

test('a work that would wait for too many others fails at once', async () => {
  const inTurn = takeTurns(1, 1);
  let end = () => {};
  const running = inTurn(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const waiting = inTurn(async () => 'waited');

  await expect(inTurn(async () => 'never')).rejects.toThrow(TooBusyError);
  end();
  await running;

  expect(await waiting).toBe('waited');
  expect(await inTurn(async () => 'later')).toBe('later');
});

test('too many windows at once get 503 with what to do, and the others their page', async () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const console = await startConsole({
    port: 0,
    place: '',
    pages: [
      {
        path: '/live',
        async render() {
          await opened;
          return { title: 'Live', body: html`` };
        },
      },
    ],
    actions: [],
  });
  const headers = await openAddress(console);
  let refused = 0;
  const windows = Array.from({ length: 300 }, () =>
    ask(new URL('/live', console.url), { headers }).then((answer) => {
      if (answer.status !== 200) refused += 1;
      return answer;
    }),
  );
  await expect.poll(() => refused, { timeout: 20_000 }).toBe(92);
  open();

  const answers = await Promise.all(windows);
  await console.close();

  const busy = answers.find(({ status }) => status !== 200);
  expect(busy).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(busy?.body).toContain(
    'Too many pages are open at once. Close some, or load this page again in a moment.',
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(208);
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
