import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('programs/print-lines.ts', import.meta.url));

/** With a limit for the size of files, the last write that fits takes a part of its line, as on a full disk. */
async function printUntilFull(file: string): Promise<{ printed: number; name: string; text: string }> {
  const script = 'ulimit -f 8; exec "$0" --import tsx "$1" >>"$2"';
  const { stderr } = await promisify(execFile)('sh', ['-c', script, process.execPath, PROGRAM, file]);
  return JSON.parse(stderr);
}

test('a file that can’t grow has only whole lines, and every line that counts as printed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'write-whole-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const file = join(directory, 'events.jsonl');

  const { printed, name, text } = await printUntilFull(file);
  const again = await printUntilFull(file);

  expect(printed).toBeGreaterThan(5);
  expect(name).toBe('OutputError');
  expect(text).toMatch(/^Standard output can't be written: EFBIG/);
  expect(again.printed).toBe(0);
  const content = await readFile(file, 'utf8');
  expect(content.endsWith('\n')).toBe(true);
  const lines = content.trimEnd().split('\n');
  expect(lines).toEqual(Array.from({ length: printed }, (_, at) => `line ${at + 1} ${'x'.repeat(300)}`));
});
