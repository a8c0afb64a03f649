// Escapes foreign text for a terminal. A carrier's name may hold escape sequences, line breaks or bidirectional marks,
// which would change how all other text appears.

/** C0, DEL and C1 controls, line and paragraph separators, and bidirectional marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters on purpose
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

/** The value as one line of JSON that holds no character that a terminal would act on: such are written as escapes. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
