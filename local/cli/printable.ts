// Escapes foreign text for a terminal. A carrier's name may hold escape sequences, line breaks or bidirectional marks,
// which would change how all other text appears.

/** DEL and C1 controls, line and paragraph separators, and bidirectional marks. JSON leaves them as they are. */
const MARKS = '\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const ANY_MARK = new RegExp(`[${MARKS}]`, 'g');
const UNPRINTABLE = new RegExp(`[\\u0000-\\u001f${MARKS}]`, 'g');
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with a visible escape such as `\x1b` or `\u202e` for each character that a terminal would act on. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => {
    const isByte = character.charCodeAt(0) <= 0xff;
    return SHORT[character] ?? (isByte ? `\\x${hexOf(character, 2)}` : `\\u${hexOf(character, 4)}`);
  });
}

/** The text with JSON's escape, such as `\u202e`, for each mark. In JSON this is the same value. */
export function escapeMarks(text: string): string {
  return text.replaceAll(ANY_MARK, (character) => `\\u${hexOf(character, 4)}`);
}

function hexOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}
