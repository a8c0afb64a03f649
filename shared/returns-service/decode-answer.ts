// Decodes the body of a success: row by row, so that no more than one row is in memory besides what the feed keeps of the
// others. JSON.parse quotes the body in its errors, so they end here and never become a cause.
import { ANSWER_BOUNDS, ROW_BOUNDS } from '../limits.ts';
import {
  AnswerTooLargeError,
  type ReturnsServiceError,
  TruncatedAnswerError,
  UnreadableAnswerError,
} from './errors.ts';
import { parseHttpDate } from './http-headers.ts';
import type { HttpAnswer } from './http-transport.ts';
import { kindOf } from './json.ts';
import { findEndOfValue, findExceeded } from './scan-json.ts';

const COMMA = ','.charCodeAt(0);
const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const OPEN_OBJECT = '{'.charCodeAt(0);

/** One element of the list, and its size in bytes. */
interface Element {
  readonly raw: unknown;
  readonly bytes: number;
}

/**
 * The elements of the answer's list, each parsed when it is asked for. If the answer turns out to be unusable after
 * some of them, it is unusable as a whole.
 *
 * @throws {TruncatedAnswerError} if the body, or the JSON in it, ends early
 * @throws {AnswerTooLargeError} if it holds more than an answer may
 * @throws {UnreadableAnswerError} if it is not a JSON array
 */
export function* decodeRows(answer: HttpAnswer): Generator<Element, void> {
  const { body } = answer;
  if (isShorterThanDeclared(answer)) throw truncated(answer, 'is shorter than its Content-Length');
  const start = skipBlanks(body, hasByteOrderMark(body) ? 3 : 0);
  if (body[start] !== OPEN_LIST) throw errorOfOtherThanList(answer, start);
  let end = skipBlanks(body, start + 1);
  if (body[end] !== CLOSE_LIST) {
    end = start;
    const counts = { rows: 0, entities: 0, values: 0 };
    do {
      const from = end + 1;
      end = checkedEndOfRow(answer, from, counts);
      yield { raw: parsePart(answer, from, end, end === body.length), bytes: end - from };
    } while (body[end] === COMMA);
  }
  if (end === body.length) throw truncated(answer, 'ends before its JSON does');
  const isWhole = body[end] === CLOSE_LIST && skipBlanks(body, end + 1) === body.length;
  if (!isWhole) throw unreadable(answer, describeBody(answer));
}

/** Gateways that change answers say 203, and generated services 206 for a page: a list is a list. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Words for an answer that stands for an empty list, although it is none: a 204, or `null`. Undefined for others. */
export function findEmptyInstead({ status, body }: HttpAnswer): string | undefined {
  if (status === 204) return '204 instead of an array';
  const isNull = body.byteLength < 64 && decodeUtf8(body)?.trim() === 'null';
  return isNull ? 'null instead of an array' : undefined;
}

/** The end of the row at `from`, once its counts and those of the answer so far keep to their bounds. */
function checkedEndOfRow(answer: HttpAnswer, from: number, counts: typeof ANSWER_BOUNDS): number {
  const ofRow = { entities: 0, objects: 0, values: 0, levels: 0 };
  const end = findEndOfValue(answer.body, from, ofRow, ROW_BOUNDS);
  counts.rows += 1;
  counts.entities += ofRow.entities;
  counts.values += ofRow.values;
  const [inRow, inAll] = [findExceeded(ofRow, ROW_BOUNDS), findExceeded(counts, ANSWER_BOUNDS)];
  if (inRow !== undefined) throw tooLarge(answer, `a row with more than ${ROW_BOUNDS[inRow]} ${inRow}`);
  if (inAll !== undefined) throw tooLarge(answer, `more than ${ANSWER_BOUNDS[inAll]} ${inAll}`);
  return end;
}

/** @param mayEndEarly whether what is broken at its very end is truncated */
function parsePart(answer: HttpAnswer, from: number, end: number, mayEndEarly: boolean): unknown {
  const text = decodeUtf8(answer.body.subarray(from, end));
  if (text === undefined) throw unreadable(answer, 'not UTF-8');
  try {
    return JSON.parse(text);
  } catch (error) {
    if (mayEndEarly && endsEarly(text, error)) throw truncated(answer, 'ends before its JSON does');
    throw unreadable(answer, describeBody(answer));
  }
}

/** The error of an answer that is no list; an object that ends early is truncated, like a list. */
function errorOfOtherThanList(answer: HttpAnswer, start: number): ReturnsServiceError {
  const { body } = answer;
  const isObject = body[start] === OPEN_OBJECT;
  if (isObject) checkedEndOfRow(answer, start, { rows: 0, entities: 0, values: 0 });
  const value = parsePart(answer, start, body.length, isObject);
  return unreadable(answer, `JSON, but ${kindOf(value)}, not an array`);
}

function truncated({ headers }: HttpAnswer, how: string): TruncatedAnswerError {
  return new TruncatedAnswerError(`The answer ${how}.`, { date: parseHttpDate(headers.date) });
}

function tooLarge({ headers }: HttpAnswer, what: string): AnswerTooLargeError {
  return new AnswerTooLargeError(`The answer has ${what}.`, { date: parseHttpDate(headers.date) });
}

function unreadable({ headers }: HttpAnswer, what: string): UnreadableAnswerError {
  return new UnreadableAnswerError(`The answer is ${what}.`, { date: parseHttpDate(headers.date) });
}

/** Content-Length counts the bytes on the wire, which are the body's only without an encoding. */
function isShorterThanDeclared({ headers, body }: HttpAnswer): boolean {
  const length = Number(headers['content-length']);
  return headers['content-encoding'] === undefined && length > body.byteLength;
}

/** A row must not begin with a byte order mark; the answer may, and its start is skipped. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    // A replacement character would be published as a change.
    return undefined;
  }
}

function hasByteOrderMark([first, second, third]: Uint8Array): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf;
}

/** The index of the first byte from `index` on that is no blank of JSON. */
function skipBlanks(body: Uint8Array, index: number): number {
  let at = index;
  while (BLANKS.has(body[at] ?? 0)) at += 1;
  return at;
}

const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

// How V8 reports an early end: in words, or by a position behind the last character.
function endsEarly(text: string, error: unknown): boolean {
  if (!(error instanceof SyntaxError)) return false;
  if (/end of JSON input|unterminated/i.test(error.message)) return true;
  const position = /at position (\d+)/.exec(error.message)?.[1];
  return position !== undefined && Number(position) >= text.trimEnd().length;
}

const HTML_START = /^\s*<(?:!doctype|html)/i;
const SEARCHED_BYTES = 200;

function describeBody({ headers, body }: HttpAnswer): string {
  if (body.byteLength === 0) return 'empty';
  const start = new TextDecoder().decode(body.subarray(0, SEARCHED_BYTES));
  const isHtml = /html/i.test(headers['content-type'] ?? '') || HTML_START.test(start);
  if (!isHtml) return 'not JSON';
  return 'a web page (HTML), not JSON: the base URL may lack its path prefix, or something in between answered';
}
