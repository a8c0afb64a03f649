// docs/cli.md, generated from the commands.
import type { Argument, Command, Option } from 'commander';
import { loadProgram } from '../../local/cli/program.ts';

export const CLI_PAGE = new URL('../../docs/cli.md', import.meta.url);

const INTRODUCTION = `# Command line

\`npm run cli-reference\` writes this page from the commands, and a test compares it with them. In a checkout, and in
the app of \`init\`, the command is \`npx --no returns-feed\`.

- The token of the service comes from the environment variable \`RETURNS_API_TOKEN\`.
- \`--data\` names a directory that \`watch --data\` keeps.
- \`--stack\` names a deployment. AWS credentials ([what they must allow](../SECURITY.md#operators)) and region come from
  the environment.
- Write durations as \`30s\`, \`5m\` or \`2h\`. Times are printed in the local time zone, or in UTC with \`--utc\`; in JSON
  they are UTC.

If something is wrong: [troubleshooting.md](troubleshooting.md). Glossary: [glossary.md](glossary.md).

| exit code | meaning |
| --- | --- |
| 0 | done, or stopped by Ctrl-C or \`--for\` |
| 1 | the command failed: no connection, no valid token, no returns service at the address, a directory that can't be written; \`trigger\`: the receiver did not answer 2xx |
| 2 | invalid usage: an option, the address, a missing token |
| 3 | \`status\`: a source is not well; \`replay\` and \`redrive\`: not everything was sent; \`webhooks list\`: one fails, is paused or was dropped; \`webhooks test\`: the endpoint did not accept the event; \`webhooks check\`: the receiver has a fault; \`probe\`: some questions have no answer |

Errors are one line on stderr and never contain the token. After Ctrl-C \`npx\` may report 130, because its own shell was
interrupted too; \`npm start\` and \`node_modules/.bin/returns-feed\` report 0.
`;

export async function renderCliPage(): Promise<string> {
  const { commands: all } = await loadProgram();
  const commands = all.filter((command) => !isHidden(command));
  return [INTRODUCTION, ...commands.flatMap((command) => renderCommand(command, 'returns-feed'))].join('\n');
}

function renderCommand(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`;
  const below = command.commands.filter((each) => each.name() !== 'help');
  if (below.length > 0) return below.flatMap((each) => renderCommand(each, name));
  const usage = command.usage().replace('[options] ', '').replace('[options]', '').trim();
  return [
    `## ${name}`,
    '',
    inMarkdown(command.description()),
    '',
    '```',
    `${name} ${[usage, '[options]'].filter((part) => part !== '').join(' ')}`,
    '```',
    '',
    ...renderTable('argument', command.registeredArguments.map(renderArgument)),
    ...renderTable('option', command.options.filter(({ hidden }) => !hidden).map(renderOption)),
    ...renderNotes(command),
  ];
}

function renderTable(kind: string, rows: readonly string[][]): string[] {
  if (rows.length === 0) return [];
  const header = [kind, 'meaning', 'default'];
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [...lines, ''];
}

function renderArgument(argument: Argument): string[] {
  const name = argument.required ? `\`<${argument.name()}>\`` : `\`[${argument.name()}]\``;
  return [name, inMarkdown(argument.description), ''];
}

function renderOption(option: Option): string[] {
  const choices = option.argChoices === undefined ? '' : `: ${option.argChoices.map(code).join(' or ')}`;
  return [code(option.flags), `${inMarkdown(option.description)}${choices}`, defaultOf(option)];
}

function defaultOf({ mandatory, defaultValue, defaultValueDescription }: Option): string {
  if (mandatory && defaultValue === undefined) return 'required';
  if (defaultValue === undefined || defaultValue === false || isEmpty(defaultValue)) return '';
  return code(defaultValueDescription ?? String(defaultValue));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Renders the text of \`--help\` after the options: sentences, or a list with fixed columns. */
function renderNotes(command: Command): string[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const notes = help.slice(command.helpInformation().length).trim();
  if (notes === '') return [];
  return /^ {2}/m.test(notes) ? ['```', notes, '```', ''] : [inMarkdown(notes), ''];
}

function inMarkdown(text: string): string {
  return text.replaceAll('<', '\\<').replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function isHidden(command: Command): boolean {
  return '_hidden' in command && command._hidden === true;
}
