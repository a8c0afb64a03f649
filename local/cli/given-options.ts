// The options that a command line gives, as text, to print the same command again.
import type { Command } from 'commander';
import type { GivenOption } from '../store/documents.ts';
import { shellWord } from './shell-word.ts';
import { shownUrl } from './shown-url.ts';

/** Notes the options of a command while it is parsed. @param once names of options that are not repeated at a new start */
export function noteGiven(command: Command, once: readonly string[]): () => readonly GivenOption[] {
  const given: GivenOption[] = [];
  for (const option of command.options) {
    const name = option.long ?? option.flags;
    if (once.includes(name)) continue;
    command.on(`option:${option.name()}`, (value?: string) => {
      const text =
        value === undefined || value === null ? null : name === '--forward-to' ? withoutSecret(value) : value;
      given.push({ name, value: text });
    });
  }
  return () => given;
}

/** The options as words of a shell, for instance ` --every 5s --json`, and the variables that were set. */
export function toWords(given: readonly GivenOption[]): {
  readonly options: string;
  readonly variables: readonly string[];
} {
  const options = given.filter(({ name }) => name.startsWith('--'));
  return {
    options: options
      .map(({ name, value }) => ` ${name}${value === null ? '' : ` ${shellWord(value)}`}`)
      .join(''),
    variables: given.filter((each) => !options.includes(each)).map(({ name }) => name),
  };
}

/**
 * Returns the differences from the options before in words, for instance `--every 5s (before: 1s), without --json`;
 * undefined if nothing was dropped or changed.
 */
export function describeDropped(
  before: readonly GivenOption[],
  now: readonly GivenOption[],
): string | undefined {
  const valuesOf = (options: readonly GivenOption[], name: string) =>
    options.filter((option) => option.name === name).map(({ value }) => value ?? '');
  const names = [...new Set(before.map(({ name }) => name))];
  const differences = names.flatMap((name) => {
    const [old, present] = [valuesOf(before, name), valuesOf(now, name)];
    const gone = old.filter((value) => !present.includes(value));
    if (gone.length === 0) return [];
    if (present.length === 0 || old.length > 1)
      return gone.map((value) => `without ${name} ${value}`.trimEnd());
    return [`${name} ${present.join(' ')} (before: ${gone.join(' ')})`];
  });
  return differences.length === 0 ? undefined : differences.join(', ');
}

/** Where a part of the URL may be a credential, `…` stands for it, which `--forward-to` refuses. */
function withoutSecret(text: string): string {
  const url = new URL(text);
  const shown = `${shownUrl(url)}${url.search === '' ? '' : '?…'}`;
  return shown === url.href.replace(/\/$/, '') ? text : shown;
}
