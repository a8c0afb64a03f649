import pc from 'picocolors';
import { expect, test } from 'vitest';
import { createMoments } from '../../../local/cli/moments.ts';
import { createTerminalLog, type TerminalLogOptions } from '../../../local/cli/terminal-log.ts';

const NOW = Date.parse('2026-11-22T03:30:00Z');
const moments = createMoments({ zone: 'America/New_York', now: () => NOW });

/** The lines of a log with these options. */
function written(options: Partial<TerminalLogOptions>): string[] {
  const lines: string[] = [];
  const log = createTerminalLog({ write: (line) => lines.push(line), ...options });
  const error = new Error('No\nconnection\u001b[2J.');
  log.debug('A look.');
  log.info('It is read again.', { reasons: [] });
  log.warn('It could not be read.', { error, tries: 2, slot: undefined });
  log.error('Two things.', { findings: ['a', 'b'] });
  return lines;
}

test('a line has its time, level and source; errors and lists follow the message', () => {
  const lines = written({ moments, source: 'acme', level: 'debug' });

  expect(lines).toEqual([
    '22:30:00  debug    acme: A look.',
    '22:30:00  info     acme: It is read again.',
    '22:30:00  warning  acme: It could not be read. No connection\\x1b[2J. (tries 2)',
    '22:30:00  error    acme: Two things. a; b',
  ]);
});

test('a line in a file has its date', () => {
  const [line] = written({ moments, isDated: true, source: 'acme' });

  expect(line).toMatch(/^2026-11-21 22:30:00 {2}warning {2}acme: It could not be read\./);
});

test('entries below the level are left out', () => {
  const levels = (['debug', 'info', 'warning', 'error'] as const).map((level) => written({ level }).length);

  expect(levels).toEqual([4, 3, 2, 1]);
});

test('a command that ends soon logs lines without a time', () => {
  expect(written({})).toEqual([
    'warning: It could not be read. No connection\\x1b[2J. (tries 2)',
    'error: Two things. a; b',
  ]);
});

test('a line of JSON has the time in UTC, and the fields', () => {
  const lines = written({ moments, source: 'acme', format: 'json' });

  expect(lines.every((line) => !/[\p{Cc}]/u.test(line))).toBe(true);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: '2026-11-22T03:30:00.000Z',
      level: 'warning',
      source: 'acme',
      message: 'It could not be read.',
      error: { name: 'Error', message: 'No\nconnection\u001b[2J.' },
      tries: 2,
    },
    {
      time: '2026-11-22T03:30:00.000Z',
      level: 'error',
      source: 'acme',
      message: 'Two things.',
      findings: ['a', 'b'],
    },
  ]);
});

test('on a terminal a line continues below its level, and a command stays on a line of its own', () => {
  const lines: string[] = [];
  const options = { moments, source: 'acme', width: () => 60 };
  const log = createTerminalLog({ write: (line) => lines.push(line), ...options });
  const command = 'npx --no returns-feed release --source acme --hold 1 --data /srv/feeds/state';

  log.warn('Short.');
  log.warn('The source is not being read completely.', {
    reasons: [`Known return groups are not found any more. If the service is right: ${command}`],
  });

  expect(lines.join('\n').split('\n')).toEqual([
    '22:30:00  warning  acme: Short.',
    '22:30:00  warning  acme: The source is not being read',
    '          completely. Known return groups are not found any',
    '          more. If the service is right:',
    `          ${command}`,
  ]);
});

test('levels are coloured, and the message stays escaped', () => {
  const [warning, error] = written({ moments, source: 'acme', colors: pc.createColors(true) });

  expect(warning).toContain('\u001b[33mwarning\u001b[39m');
  expect(warning).toContain('connection\\x1b[2J');
  expect(error).toContain('\u001b[31merror  \u001b[39m');
});
