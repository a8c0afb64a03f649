// Runs a shell with the script that `completion` prints, and returns what the shell offers when Tab is pressed.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { completionScript, type Shell } from '../../../local/cli/completion.ts';
import { createProgram } from '../../../local/cli/program.ts';

/** Whether tests with this shell are left out, because this machine does not have it and is not CI. */
export function lacksShell(shell: Shell): boolean {
  if (process.env.CI) return false;
  try {
    execFileSync(shell, ['-c', ':']);
    return false;
  } catch {
    console.warn(`Tests with ${shell} are skipped: it is not installed.`);
    return true;
  }
}

/** Each program gets the script's path and a line without the program's name, and prints one match a line. */
const OFFERING: Readonly<Record<Shell, string>> = {
  bash: `source "$1"
read -r -a words <<<"$2"; [[ $2 == *' ' || $2 == '' ]] && words+=('')
COMP_WORDS=(returns-feed "\${words[@]}"); COMP_CWORD=\${#words[@]}
_returns_feed; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Zsh completes only in its line editor, which needs a terminal. A wrapper of `compadd` prints each match.
  zsh: `zmodload zsh/zpty
cat >"$1.rc" <<RC
PROMPT= RPROMPT=
autoload -Uz compinit; compinit -D -u
source $1
compadd() {
  local -a offered
  case " \\$* " in (*" -[AOD] "*) builtin compadd "\\$@"; return ;; esac
  builtin compadd -A offered "\\$@"
  print -r -l -- "<"\\$^offered">"
  builtin compadd "\\$@"
}
offer() { print; zle complete-word; print '(end)'; exit }
zle -N offer
bindkey "^I" offer
print '(ready)'
RC
zpty terminal zsh -f -i
zpty -w terminal "source $1.rc"
zpty -r terminal line '*(ready)*'
zpty -w -n terminal "returns-feed $2"$'\\t'
while zpty -r terminal line && [[ $line != *'(end)'* ]]; do
  [[ $line == '<'*'>'* ]] && print -r -- \${\${line#<}%%>*}
done; true`,
  fish: `source $argv[1]; complete --do-complete "returns-feed $argv[2]" | string split --fields 1 \\t; true`,
};
const ARGUMENTS: Readonly<Record<Shell, readonly string[]>> = {
  bash: ['--norc', '-c', OFFERING.bash, 'bash'],
  zsh: ['-f', '-c', OFFERING.zsh, 'zsh'],
  fish: ['--no-config', '-c', OFFERING.fish],
};

/** @returns what the shell offers for the last word of the line, in alphabetical order */
export async function complete(shell: Shell, line: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'completion-'));
  try {
    const script = join(folder, 'script');
    await writeFile(script, completionScript(shell, createProgram()));
    const args = [...ARGUMENTS[shell], script, line];
    const { stdout } = await promisify(execFile)(shell, args, { cwd: '/', timeout: 30_000 });
    // Zsh adds directories more than once, in parts, and shells differ in the slash at the end.
    const offered = stdout.split('\n').map((match) => match.replace(/\/$/, ''));
    return [...new Set(offered)].filter((match) => match !== '').sort();
  } finally {
    await rm(folder, { recursive: true });
  }
}
