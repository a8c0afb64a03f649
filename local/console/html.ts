// HTML that is escaped by default. Only a template of ours makes markup: every other value becomes text, and a character
// that a browser would act on without showing it (a control character, a bidirectional mark) becomes a visible escape.
import { printable } from '../cli/printable.ts';

const MARKUP = Symbol('markup');

/** Markup made by {@link html}. */
export interface Html {
  readonly [MARKUP]: string;
}

export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** A template whose values are escaped unless they are markup themselves. Lists are joined; null and false are left out. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return { [MARKUP]: strings.reduce((text, part, index) => text + render(values[index - 1]) + part) };
}

/** Text that keeps its line breaks, for `<pre>`. */
export function multiline(text: string): Html {
  return { [MARKUP]: text.split('\n').map(render).join('\n') };
}

export function textOf(markup: Html): string {
  return markup[MARKUP];
}

function render(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return printable(content).replaceAll(/[&<>"']/g, escapeCharacter);
  return MARKUP in content ? content[MARKUP] : content.map(render).join('');
}

function escapeCharacter(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
