import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { completionScript, SHELLS } from '../../../local/cli/completion.ts';
import { createProgram } from '../../../local/cli/program.ts';

/** What bash offers for the last of these words. */
async function complete(...words: string[]): Promise<string[]> {
  const script = `${completionScript('bash', createProgram())}
COMP_WORDS=(returns-feed "$@"); COMP_CWORD=$#; _returns_feed; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], { cwd: '/' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash completes', () => {
  test.each([
    ['commands', ['sta'], ['status']],
    ['commands below another', ['webhooks', 'r'], ['rotate', 'resume']],
    ['options of a command', ['status', '--s'], ['--source', '--stack']],
    ['options of a command below another', ['webhooks', 'list', '--j'], ['--json']],
    ['options after other words', ['release', '--hold', '7', '--dr'], ['--dry-run']],
    ['the values of an option', ['watch', '--baseline', ''], ['silent', 'emit']],
    ['directories', ['status', '--data', 'us'], ['usr']],
    ['nothing where any text may stand', ['status', '--source', ''], []],
  ])('%s', async (_, words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });

  test('every command, but no hidden one', async () => {
    const offered = await complete('');

    expect(offered).toEqual(expect.arrayContaining(['watch', 'explain', 'console', 'completion', 'help']));
    expect(offered).not.toContain('start');
  });
});

test.each(SHELLS)('the script for %s names every option of every command', (shell) => {
  const script = completionScript(shell, createProgram());

  const program = createProgram();
  for (const { options } of program.createHelp().visibleCommands(program))
    for (const { long, hidden } of options)
      if (!hidden) expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long);
});
