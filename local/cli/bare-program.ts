import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };

const HELP = `
Examples:
  returns-feed watch --base-url https://returns.example.com/api --data state
  returns-feed status --data state
  returns-feed explain acme 184467 --stack ReturnsFeed
"returns-feed help COMMAND" has the options and examples of a command.
If something is wrong: docs/troubleshooting.md. Glossary: docs/glossary.md. All commands: docs/cli.md.`;

/** `returns-feed` without its commands. */
export function createBareProgram(): Command {
  return new Command('returns-feed')
    .description('The webhook that a returns service never had: every change as an event.')
    .version(manifest.version)
    .helpCommand(false)
    .addHelpText('after', HELP);
}
