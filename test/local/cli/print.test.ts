import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createPrinter } from '../../../local/cli/print.ts';

/** A stream that acts like a terminal with this many columns, or like a pipe. */
function stream(columns: number | undefined) {
  const through = new PassThrough();
  const terminal = Object.assign(through, { isTTY: columns !== undefined, columns });
  let written = '';
  through.on('data', (chunk) => {
    written += chunk;
  });
  // Written data arrives a moment later, and from Node 26 on chunk by chunk.
  const settled = () => new Promise<string>((resolve) => setImmediate(() => resolve(written)));
  return { terminal: terminal as unknown as NodeJS.WriteStream, written: settled };
}

const CLEAR = '\r\u001b[2K';

test('a line has an escape for each mark that a terminal acts on, so JSON has the same value', async () => {
  const { terminal, written } = stream(undefined);
  const value = { name: 'C1 \u009b2J, DEL \u007f, another direction \u202e, a separator \u2028, 東京' };

  await createPrinter(terminal).line(JSON.stringify(value, null, 1));

  const line = await written();
  expect(line).toContain('C1 \\u009b2J, DEL \\u007f, another direction \\u202e, a separator \\u2028, 東京');
  expect(JSON.parse(line)).toEqual(value);
});

test('a line replaces the status on a terminal', async () => {
  const { terminal, written } = stream(80);
  const printer = createPrinter(terminal);

  printer.status('half way');
  await printer.line('done');
  await printer.line('gone');

  expect(await written()).toBe(`half way${CLEAR}done\ngone\n`);
});

test('a status is cut to the width of the terminal', async () => {
  const { terminal, written } = stream(10);

  createPrinter(terminal).status('0123456789');

  expect(await written()).toBe('01234567…');
});

test('a status is left out if lines can’t be overwritten', async () => {
  const { terminal, written } = stream(undefined);

  createPrinter(terminal).status('half way');

  expect(await written()).toBe('');
});

test('where lines can’t be overwritten, a long command prints its progress now and then', async () => {
  const { terminal, written } = stream(undefined);
  let now = 0;
  const printer = createPrinter(terminal, () => now);

  for (now = 0; now < 25_000; now += 100) printer.progress(`after ${now} ms`);

  expect(await written()).toBe('after 500 ms\nafter 10500 ms\nafter 20500 ms\n');
});

test('a status can be removed once for another writer to the terminal', async () => {
  const { terminal, written } = stream(80);
  const printer = createPrinter(terminal);

  printer.status('half way');
  printer.clear();
  printer.clear();

  expect(await written()).toBe(`half way${CLEAR}`);
});
