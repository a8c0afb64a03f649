import { describe, expect, test } from 'vitest';
import { completionScript, SHELLS } from '../../../local/cli/completion.ts';
import { createProgram } from '../../../local/cli/program.ts';
import { complete, lacksShell } from './complete-in-shell.ts';

describe.each(SHELLS)('%s completes', (shell) => {
  test.skipIf(lacksShell(shell)).each([
    ['commands', 'sta', ['status']],
    ['commands below another', 'webhooks r', ['resume', 'rotate']],
    ['options of a command', 'status --s', ['--source', '--stack']],
    ['options of a command below another', 'webhooks list --j', ['--json']],
    ['options after other words', 'release --hold 7 --dr', ['--dry-run']],
    ['the option that every command has', 'explain --h', ['--help']],
    ['the values of an option', 'watch --baseline ', ['emit', 'silent']],
    ['directories', 'status --data us', ['usr']],
    ['nothing where any text may stand', 'status --source ', []],
  ])('%s', async (_, line, offered) => {
    expect(await complete(shell, line)).toEqual(offered);
  });

  test.skipIf(lacksShell(shell))('every command, but no hidden one', async () => {
    const offered = await complete(shell, '');

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
