import { expect, test } from 'vitest';
import { formatFailure } from '../../../local/cli/failures.ts';

test('a failure is one line without its stack', () => {
  const error = new Error('The service\n  can not be read.', { cause: new Error('hidden') });

  const line = formatFailure(error);

  expect(line).toBe('error: The service can not be read.');
});

test('a thrown value that is not an error is reported as well', () => {
  const line = formatFailure('gone');

  expect(line).toBe('error: gone');
});

test.each(["EMFILE: too many open files, open '/a'", 'No connection: it failed (EMFILE).'])(
  'too few open files are a failure with a way out: %s',
  (message) => {
    const error = Object.assign(new Error(message), { code: 'EMFILE' });

    const line = formatFailure(error);

    const reason = message.replace(/\.$/, '');
    expect(line).toBe(`error: ${reason}. Allow more open files, for instance with "ulimit -n 256".`);
  },
);
