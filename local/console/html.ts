// HTML that is escaped by default. Only the template tag makes markup; every other value is escaped. Control characters
// and bidirectional marks, which browsers interpret without showing them, become visible escapes.
import { printable } from '../cli/printable.ts';

const MARKUP = Symbol('markup');

/** Markup made by {@link html}. */
export interface Html {
  readonly [MARKUP]: string;
}

export type Content = Html | string | number | null | undefined | false | readonly Content[];

/** Template tag. Escapes values unless they are markup, joins lists, and omits null, undefined and false. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return { [MARKUP]: strings.reduce((text, part, index) => text + render(values[index - 1]) + part) };
}

/** Escapes text, but keeps its line breaks. For `<pre>`. */
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
