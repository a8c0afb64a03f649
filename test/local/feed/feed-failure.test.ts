import { expect, test } from 'vitest';
import { OutputError } from '../../../local/cli/write-whole.ts';
import { createFeedFailure } from '../../../local/feed/feed-failure.ts';
import { FullDiskError } from '../../../local/store/store-error.ts';

const FULL = new FullDiskError('The disk of /srv/state/feed.db is full.');
const OUTPUT = new OutputError(new Error('EIO: i/o error, write'));

function watchedLog() {
  const lines: string[] = [];
  const failure = createFeedFailure();
  const write = (message: string) => void lines.push(message);
  return { lines, failure, log: failure.watch({ debug: write, info: write, warn: write, error: write }) };
}

test.each([
  ['a full disk', FULL],
  ['an output that fails', OUTPUT],
])('%s in a log entry of any part ends the feed, and is not logged', async (_, fatal) => {
  const { lines, failure, log } = watchedLog();

  log.warn('group failed', { group: 1, error: new Error('The mark could not be moved.', { cause: fatal }) });
  log.error('destination failed', { error: fatal });
  log.warn('group failed', { group: 1, error: new Error('No connection.') });
  log.info('Polled.');

  await expect(failure.failed).rejects.toBe(fatal);
  expect(lines).toEqual(['group failed', 'Polled.']);
});

test('an error is explained by the failure that ended the feed, or by its own cause', () => {
  const { failure, log } = watchedLog();
  const consequence = new Error('The store is closed.');

  expect(() => failure.explain(consequence)).toThrow(consequence);
  expect(() => failure.explain(new Error('The tick failed.', { cause: FULL }))).toThrow(FULL);
  log.error('destination failed', { error: OUTPUT });
  expect(() => failure.explain(consequence)).toThrow(OUTPUT);
});
