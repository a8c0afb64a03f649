import { expect, test } from 'vitest';
import { createTerminalLog } from '../../../local/cli/terminal-log.ts';

test('a line holds its level and its fields, errors by their message', () => {
  const lines: string[] = [];
  const log = createTerminalLog((line) => lines.push(line), false);

  log.warn('The service could not be read.', {
    error: new Error('no\nconnection'),
    tries: 2,
    slot: undefined,
  });
  log.error('Two things.', { findings: ['a', 'b'] });

  expect(lines).toEqual([
    'warning: The service could not be read. (error: no connection, tries: 2)',
    'error: Two things. (findings: a; b)',
  ]);
});

test('details are logged only on request', () => {
  const [quiet, verbose]: [string[], string[]] = [[], []];

  for (const [lines, isVerbose] of [[quiet, false] as const, [verbose, true] as const]) {
    const log = createTerminalLog((line) => lines.push(line), isVerbose);
    log.debug('looked');
    log.info('relayed');
  }

  expect(quiet).toEqual([]);
  expect(verbose).toEqual(['debug: looked', 'info: relayed']);
});
