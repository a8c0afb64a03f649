import { Logger } from '@aws-lambda-powertools/logger';
import { expect, test, vi } from 'vitest';
import { createPowertoolsLog } from '../../../functions/adapters/powertools-log.ts';
import type { Log } from '../../../shared/ports.ts';

/** The lines written meanwhile, one object per line. */
function written(write: (log: Log) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  const take = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const spy of spies) spy.mockImplementation(take);
  try {
    write(createPowertoolsLog(new Logger({ serviceName: 'relay', logLevel: 'DEBUG' })));
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return lines.map((line) => JSON.parse(line));
}

test('a line holds its level, message, service and fields', () => {
  const lines = written((log) => {
    log.debug('looked');
    log.info('relayed', { groups: 3, destination: 'queue', behind: undefined });
    log.warn('group is behind', { group: 184467 });
    log.error('destination failed', { findings: ['a', 'b'] });
  });

  expect(lines).toMatchObject([
    { level: 'DEBUG', message: 'looked', service: 'relay' },
    { level: 'INFO', message: 'relayed', groups: 3, destination: 'queue' },
    { level: 'WARN', message: 'group is behind', group: 184467 },
    { level: 'ERROR', message: 'destination failed', findings: ['a', 'b'] },
  ]);
});

test('an error is logged with its place and its causes', () => {
  const [line] = written((log) =>
    log.error('destination failed', { error: new Error('outer', { cause: new TypeError('inner') }) }),
  );

  expect(line).toMatchObject({
    error: {
      name: 'Error',
      message: 'outer',
      stack: expect.stringContaining('powertools-log.test.ts'),
      cause: { name: 'TypeError', message: 'inner' },
    },
  });
});

test('no other property of an error is logged', () => {
  const answered = Object.assign(new Error('refused'), {
    $response: { body: 'A Customer' },
    issues: [{ input: 'A Customer' }],
    cause: Object.assign(new Error('inner'), { request: { body: 'A Customer' } }),
  });

  const lines = written((log) =>
    log.error('failed', { error: answered, parsing: parsingError('{"a":"A Customer') }),
  );

  expect(JSON.stringify(lines)).not.toContain('Customer');
  expect(lines).toMatchObject([{ error: { message: 'refused' }, parsing: { message: 'not valid JSON' } }]);
});

test('an error that is its own cause does not loop', () => {
  const error = new Error('round');
  error.cause = error;

  const [line] = written((log) => log.error('failed', { error }));

  expect(line).toMatchObject({ error: { message: 'round' } });
});

function parsingError(text: string): Error {
  try {
    JSON.parse(text);
  } catch (error) {
    return error as Error;
  }
  throw new Error('The text was valid JSON.');
}
