// Texts of others on a terminal: a carrier's name may hold escape sequences, line breaks or marks that turn the
// direction of writing, and then changes what a person sees of all the rest.

/** C0, DEL and C1, line and paragraph separators, and what sets the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with a visible escape such as `\x1b` or `\u202e` for each character that a terminal would act on. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return (
      SHORT[character] ?? (code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`)
    );
  });
}
