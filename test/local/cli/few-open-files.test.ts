// A machine that lets a process open few files.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { COMMAND } from './run-feed.ts';

test.skipIf(process.platform === 'win32').each([40, 24])(
  'a command that may open %s files works, or ends with a sentence',
  async (files) => {
    const script = `ulimit -n ${files} && exec "$0" "$1" start`;
    const child = spawn('sh', ['-c', script, process.execPath, COMMAND], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.once('data', () => child.kill('SIGINT'));

    const [, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);

    expect(stderr).not.toMatch(/^ +at /m);
    for (const line of stderr.split('\n'))
      expect(line).toMatch(/^(?:$|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}|error: )/);
  },
);
