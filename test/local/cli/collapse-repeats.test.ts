import { expect, test } from 'vitest';
import { collapseRepeats } from '../../../local/cli/collapse-repeats.ts';
import type { LogFields } from '../../../shared/ports.ts';

const SECOND = 1_000;
const failure = (text: string) => ({ error: new Error(text) });

function setUp() {
  const lines: string[] = [];
  let now = 0;
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const { error } = fields;
      lines.push(`${level}: ${message}${error instanceof Error ? ` ${error.message}` : ''}`);
    };
  const log = collapseRepeats(
    { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    () => now,
  );
  return {
    log,
    lines: () => lines.splice(0),
    fail(times: number, everyMs: number) {
      for (let time = 0; time < times; time += 1) {
        now += everyMs;
        log.warn('Not read.', failure(`no answer after ${time} ms`));
      }
    },
  };
}

test('a warning is logged at once, and its repeats are counted every five minutes', () => {
  const { fail, lines } = setUp();

  fail(1, 30 * SECOND);
  const first = lines();
  fail(19, 30 * SECOND);

  expect(first).toEqual(['warn: Not read. no answer after 0 ms']);
  expect(lines()).toEqual(['warn: Repeated 10 times in the last 5 min: Not read. no answer after 9 ms']);
});

test('a fault that is reported as over ends at once, also after a single failure', () => {
  const { fail, log, lines } = setUp();
  fail(1, SECOND);
  log.end('Not read.', 'Read again.');
  fail(3, SECOND);
  log.warn('Not read.', failure('refused'));
  log.end('Not read.', 'Read again.');
  log.end('Not read.', 'Read again.');

  expect(lines().filter((line) => line.startsWith('info'))).toEqual([
    'info: Read again. It failed 1 time in 0 s.',
    'info: Read again. It failed 4 times in 2 s.',
  ]);
});

test('another error, group or level is another fault; other measurements are not', () => {
  const { log, lines } = setUp();

  log.warn('A pause.', { pauseMs: 1_000 });
  log.warn('A pause.', { pauseMs: 2_000 });
  log.error('A pause.', { pauseMs: 1_000 });
  log.warn('Behind.', { group: 1 });
  log.warn('Behind.', { group: 2 });
  log.warn('Not read.', failure('refused'));
  log.warn('Not read.', failure('no answer'));
  log.info('Polled.');
  log.info('Polled.');

  expect(lines()).toHaveLength(8);
});

test('the number of tracked faults is bounded: of more, the oldest is logged again', () => {
  const { log, lines } = setUp();
  for (let group = 0; group < 101; group += 1) log.warn('Behind.', { group });
  lines();

  log.warn('Behind.', { group: 100 });
  log.warn('Behind.', { group: 0 });

  expect(lines()).toEqual(['warn: Behind.']);
});
