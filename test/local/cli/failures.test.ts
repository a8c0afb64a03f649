import { expect, test } from 'vitest';
import { tellFailure } from '../../../local/cli/failures.ts';

test('a failure is one line without its stack', () => {
  const error = new Error('The service\n  can not be read.', { cause: new Error('hidden') });

  const line = tellFailure(error);

  expect(line).toBe('error: The service can not be read.');
});

test('what is thrown without being an error is told as well', () => {
  const line = tellFailure('gone');

  expect(line).toBe('error: gone');
});
