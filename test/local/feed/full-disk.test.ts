import { expect, test } from 'vitest';
import { OutputError } from '../../../local/cli/write-whole.ts';
import { explainFullDisk, FullDiskError, withoutFullDisk } from '../../../local/feed/full-disk.ts';

const SQLITE =
  'commit failed (backend: database or disk is full) and rollback also failed (backend: cannot rollback)';
const ADVICE =
  /^The disk of the data directory \/srv\/state is full\. Free some space, then run the command again/;

test.each([
  ['the engine', new Error(SQLITE)],
  ['the operating system', new Error('ENOSPC: no space left on device, write')],
  ['a cause', new Error('The mark could not be moved.', { cause: new Error(SQLITE) })],
])('a full disk is explained with its directory and what to do: %s', (_, error) => {
  const explained = explainFullDisk(error, '/srv/state');

  expect(explained).toBeInstanceOf(FullDiskError);
  expect(explained).toMatchObject({ message: expect.stringMatching(ADVICE), cause: error });
});

test('other errors, and errors of a feed without a data directory, stay unchanged', () => {
  const [other, full] = [new Error('No connection.'), new Error(SQLITE)];
  const output = new OutputError(new Error('ENOSPC: no space left on device, write'));

  expect(explainFullDisk(other, '/srv/state')).toBe(other);
  expect(explainFullDisk(output, '/srv/state')).toBe(output);
  expect(explainFullDisk(full, undefined)).toBe(full);
});

test('a full disk in a log entry of the feed ends the feed, and is not logged', () => {
  const lines: string[] = [];
  const ended: Error[] = [];
  const write = (message: string) => void lines.push(message);
  const log = withoutFullDisk({ debug: write, info: write, warn: write, error: write }, (error) =>
    ended.push(error),
  );

  log.warn('group failed', { group: 1, error: new Error(SQLITE) });
  log.error('A part of the feed failed; it will be tried again.', { error: new Error(SQLITE) });
  log.warn('group failed', { group: 1, error: new Error('No connection.') });
  log.info('Polled.');

  expect(ended).toHaveLength(2);
  expect(lines).toEqual(['group failed', 'Polled.']);
});
