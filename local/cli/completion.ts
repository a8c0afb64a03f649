// Completion scripts for shells, generated from the commands. They hold every word themselves: a completion that starts
// `returns-feed` with each Tab, as libraries for this do, would take a second or more. Bash, zsh and fish walk the
// words before the cursor along the same tree. Pure.
import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A command in the tree. */
interface Node {
  /** The words that lead to it, such as `/webhooks/list`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
}

interface CompletedOption {
  readonly flag: string;
  readonly about: string;
  /** The kind of its value; `none` for an option without one. */
  readonly value: 'none' | 'any' | 'directory' | readonly string[];
}

/** Of every command; Commander keeps it apart from the other options. */
const HELP: CompletedOption = { flag: '--help', about: 'Show how the command is used.', value: 'none' };

export function completionScript(shell: Shell, program: Command): string {
  const nodes = nodesOf(program, '');
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](program.name(), nodes);
}

function nodesOf(command: Command, path: string): Node[] {
  const shown = command.commands.filter((each) => !('_hidden' in each && each._hidden === true));
  const node = {
    path,
    commands: shown.map((each) => ({ name: each.name(), about: each.summary() || each.description() })),
    options: [...command.options.filter(({ hidden }) => !hidden).flatMap(toCompleted), HELP],
  };
  return [node, ...shown.flatMap((each) => nodesOf(each, `${path}/${each.name()}`))];
}

function toCompleted(option: Option): CompletedOption[] {
  const { long, description, required, optional, argChoices } = option;
  if (typeof long !== 'string') return [];
  const takesValue = required || optional;
  const value = argChoices ?? (/<(dir|path)>/.test(option.flags) ? 'directory' : takesValue ? 'any' : 'none');
  return [{ flag: long, about: description, value }];
}

function wordsOf({ commands, options }: Node): string[] {
  return [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)];
}

/** The `case` patterns of all commands below the program. */
function paths(nodes: readonly Node[]): string {
  return nodes.flatMap(({ path }) => (path === '' ? [] : [path])).join(' | ');
}

/** What completes a value: nothing, directories, or certain words. */
function completing(
  value: CompletedOption['value'],
  directories: string,
  certain: (words: string) => string,
): string {
  if (value === 'none' || value === 'any') return '';
  return value === 'directory' ? directories : certain(value.join(' '));
}

/** For each option with a value, its place and what completes it. */
function valuesOf(nodes: readonly Node[]) {
  return nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flag, value }) => (value === 'none' ? [] : [{ place: `${path}:${flag}`, value }])),
  );
}

function bashScript(name: string, nodes: readonly Node[]): string {
  const values = valuesOf(nodes).map(({ place, value }) => {
    const reply = completing(value, '$(compgen -d -- "$cur")', compgen);
    return `    ${place}) COMPREPLY=(${reply}); return ;;`;
  });
  const words = nodes.map((node) => `    '${node.path}') COMPREPLY=(${compgen(wordsOf(node).join(' '))}) ;;`);
  return `# bash completion of ${name}: eval "$(${name} completion bash)"
_${identifier(name)}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path/$word" in
      ${paths(nodes)}) path="$path/$word" ;;
    esac
  done
  case "$path:\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
}
complete -F _${identifier(name)} ${name}
`;
}

function compgen(words: string): string {
  return `$(compgen -W '${words}' -- "$cur")`;
}

function zshScript(name: string, nodes: readonly Node[]): string {
  const values = valuesOf(nodes).map(({ place, value }) => {
    const reply = completing(value, '_files -/; ', (words) => `compadd -- ${words}; `);
    return `    ${place}) ${reply}return ;;`;
  });
  const words = nodes.map(({ path, commands, options }) => {
    const named = [...commands, ...options.map(({ flag, about }) => ({ name: flag, about }))];
    const entries = named.map((each) => quoted(`${each.name.replaceAll(':', '\\:')}:${each.about}`));
    return `    '${path}') found=(${entries.join(' ')}) ;;`;
  });
  return `#compdef ${name}
# zsh completion of ${name}: eval "$(${name} completion zsh)"
_${identifier(name)}() {
  local at= word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      ${paths(nodes)}) at="$at/$word" ;;
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  _describe '${name}' found
}
compdef _${identifier(name)} ${name}
`;
}

function fishScript(name: string, nodes: readonly Node[]): string {
  const at = `__${identifier(name)}_at`;
  const lines = nodes.flatMap(({ path, commands, options }) => [
    ...commands.map(
      (each) => `complete -c ${name} -n "${at} '${path}'" -a ${each.name} -d ${quoted(each.about)}`,
    ),
    ...options.map(({ flag, about, value }) => {
      const reply = completing(value, " -a '(__fish_complete_directories)'", (words) => ` -a '${words}'`);
      const takes = value === 'none' ? '' : ` -x${reply}`;
      return `complete -c ${name} -n "${at} '${path}'" -l ${flag.slice(2)}${takes} -d ${quoted(about)}`;
    }),
  ]);
  return `# fish completion of ${name}: ${name} completion fish | source
function ${at}
  set -l at ''
  for word in (commandline -opc)[2..-1]
    contains -- "$at/$word" ${paths(nodes).replaceAll(' | ', ' ')}; and set at "$at/$word"
  end
  test "$at" = "$argv[1]"
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

function identifier(name: string): string {
  return name.replaceAll('-', '_');
}

/** As one word that zsh and fish read unchanged. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", '’')}'`;
}
