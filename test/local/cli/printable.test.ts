import { expect, test } from 'vitest';
import { formatEntry } from '../../../local/cli/entries.ts';
import { formatFailure } from '../../../local/cli/failures.ts';
import { printable } from '../../../local/cli/printable.ts';
import { createTerminalLog } from '../../../local/cli/terminal-log.ts';

test.each([
  ['a terminal escape', '\u001b[31mUPS', '\\x1b[31mUPS'],
  ['line breaks and tabs', 'a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['NUL and DEL', '\u0000\u007f', '\\x00\\x7f'],
  ['C1 controls', '\u009b2J\u0085', '\\x9b2J\\x85'],
  ['line separators', '\u2028\u2029', '\\u2028\\u2029'],
  ['marks of direction', '\u202eabc\u2066\u200f\u061c', '\\u202eabc\\u2066\\u200f\\u061c'],
])('%s is shown, and has no effect', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('other texts are unchanged', () => {
  const text = 'Müller & Söhne, 東京 – 🚚 é';

  expect(printable(text)).toBe(text);
});

test('everything that commands print from a service is printable', () => {
  const bad = 'a\u001b]0;title\u0007\u202eb';
  const printed: string[] = [];

  createTerminalLog({ write: (line) => printed.push(line) }).warn('A finding.', {
    field: bad,
    error: new Error(bad),
  });
  printed.push(formatFailure(new Error(bad)), ...formatEntry('set aside', [bad]));

  for (const line of printed) expect(line).toContain('a\\x1b]0;title\\x07\\u202eb');
});
