// `completion`: prints a script that completes commands and options in a shell.
import { Argument, Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../cli/completion.ts';
import { createPrinter } from '../cli/print.ts';

const HELP = `
Examples:
  eval "$(returns-feed completion bash)"
  returns-feed completion zsh > ~/.zfunc/_returns-feed
  returns-feed completion fish > ~/.config/fish/completions/returns-feed.fish
The shell completes a command named returns-feed: put the checkout's node_modules/.bin
into the PATH.`;

export function createCompletionCommand(): Command {
  return new Command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell, _, command: Command) => {
      const program = command.parent ?? command;
      await createPrinter(process.stdout).line(completionScript(shell, program).trimEnd());
    });
}
