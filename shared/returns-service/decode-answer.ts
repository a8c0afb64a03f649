// Decodes the body of a 200 as JSON. JSON.parse quotes the body in its errors, so they end here and never become a
// cause.
import { TruncatedAnswerError, UnreadableAnswerError } from './errors.ts';
import { parseHttpDate } from './http-headers.ts';
import type { HttpAnswer } from './http-transport.ts';
import { kindOf } from './json.ts';

/**
 * @throws {TruncatedAnswerError} if the body, or the JSON in it, ends early
 * @throws {UnreadableAnswerError} if it is not JSON
 */
export function decodeJson(answer: HttpAnswer): unknown {
  const date = parseHttpDate(answer.headers.date);
  if (isShorterThanDeclared(answer)) {
    throw new TruncatedAnswerError('The answer is shorter than its Content-Length.', { date });
  }
  const text = decodeUtf8(answer.body);
  if (text === undefined) throw new UnreadableAnswerError('The answer is not UTF-8.', { date });
  try {
    return JSON.parse(text);
  } catch (error) {
    if (endsEarly(text, error)) {
      throw new TruncatedAnswerError('The answer ends before its JSON does.', { date });
    }
    throw new UnreadableAnswerError(`The answer is ${describeBody(answer, text)}.`, { date });
  }
}

/** @throws {UnreadableAnswerError} if the JSON is not an array; else as {@link decodeJson} */
export function decodeJsonArray(answer: HttpAnswer): readonly unknown[] {
  const value = decodeJson(answer);
  if (Array.isArray(value)) return value;
  const date = parseHttpDate(answer.headers.date);
  throw new UnreadableAnswerError(`The answer's JSON is ${kindOf(value)}, not an array.`, { date });
}

/** Content-Length counts the bytes on the wire, which are the body's only without an encoding. */
function isShorterThanDeclared({ headers, body }: HttpAnswer): boolean {
  const length = Number(headers['content-length']);
  return headers['content-encoding'] === undefined && length > body.byteLength;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    // A replacement character would be published as a change.
    return undefined;
  }
}

// How V8 reports an early end: in words, or by a position behind the last character.
function endsEarly(text: string, error: unknown): boolean {
  if (!/^\s*[[{]/.test(text) || !(error instanceof SyntaxError)) return false;
  if (/end of JSON input|unterminated/i.test(error.message)) return true;
  const position = /at position (\d+)/.exec(error.message)?.[1];
  return position !== undefined && Number(position) >= text.trimEnd().length;
}

function describeBody({ headers, body }: HttpAnswer, text: string): string {
  if (body.byteLength === 0) return 'empty';
  const isHtml = /html/i.test(headers['content-type'] ?? '') || /^\s*<(?:!doctype|html)/i.test(text);
  if (!isHtml) return 'not JSON';
  return 'a web page (HTML), not JSON: the base URL may lack its path prefix, or something in between answered';
}
