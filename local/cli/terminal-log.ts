// The log of a command: one line for each entry, with its time, level and source, as text or as JSON.
import stringWidth from 'string-width';
import type { Log, LogFields } from '../../shared/ports.ts';
import type { Colors } from './layout.ts';
import type { Moments } from './moments.ts';
import { escapeMarks, printable } from './printable.ts';
import { wrap } from './wrap.ts';

/** From the least important on. */
export const LOG_LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface TerminalLogOptions {
  readonly write: (line: string) => void;
  /** Entries below this level are left out. @default 'warning' */
  readonly level?: LogLevel;
  /** @default 'text' */
  readonly format?: 'text' | 'json';
  /** The times of the lines; undefined for a command that ends soon, whose lines have none. */
  readonly moments?: Moments;
  /** Whether the times have their date: for lines that are kept. */
  readonly isDated?: boolean;
  /** Columns of the terminal, called for each line; undefined outside of a terminal. */
  readonly width?: () => number | undefined;
  /** The source that the lines are about. */
  readonly source?: string | undefined;
  readonly colors?: Colors;
}

interface Entry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export function createTerminalLog(options: TerminalLogOptions): Log {
  const { write, level: least = 'warning', format = 'text' } = options;
  const formatEntry = format === 'json' ? formatJson : formatText;
  const writer =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least))
        write(formatEntry({ level, message, fields }, options));
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warning'), error: writer('error') };
}

const LEVEL_WIDTH = Math.max(...LOG_LEVELS.map((level) => level.length));

/** For instance `10:15:02  warning  acme: The service could not be read. No connection. (tries 2)`. */
function formatText(
  { level, message, fields }: Entry,
  { moments, isDated = false, width = () => undefined, source, colors }: TerminalLogOptions,
): string {
  const text = printable(oneLine(`${message}${formatFields(fields)}`));
  if (moments === undefined) return `${level}: ${text}`;
  const time = (isDated ? moments.full : moments.time)(moments.now());
  const named = source === undefined ? text : `${source}: ${text}`;
  const start = `${time}  ${level.padEnd(LEVEL_WIDTH)}  `;
  const lines = wrapBehind(start.length, named, width());
  return `${colors?.dim(time) ?? time}  ${paint(level, colors)}  ${lines.join(`\n${' '.repeat(INDENT)}`)}`;
}

/** Columns before the further lines of an entry: below its level. */
const INDENT = 10;
const COMMAND = / (npx --no returns-feed [^;]+)$/;

/** The text in lines of whole words. A command at its end has a line of its own, so that it can be copied. */
function wrapBehind(used: number, text: string, width: number | undefined): string[] {
  if (width === undefined || used + stringWidth(text) <= width) return [text];
  const [, command] = COMMAND.exec(text) ?? [];
  const sentences = command === undefined ? text : text.slice(0, -command.length - 1);
  const lines = wrap(sentences.split(' '), width - INDENT, width - used);
  return command === undefined ? lines : [...lines, command];
}

function paint(level: LogLevel, colors: Colors | undefined): string {
  const text = level.padEnd(LEVEL_WIDTH);
  if (colors === undefined) return text;
  if (level === 'error') return colors.red(text);
  return level === 'warning' ? colors.yellow(text) : colors.dim(text);
}

/** Errors and lists are sentences that go on from the message; other fields follow in brackets. */
function formatFields(fields: LogFields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const sentences = given.flatMap(([, value]) => {
    if (value instanceof Error) return [` ${value.message}`];
    return Array.isArray(value) && value.length > 0 ? [` ${value.join('; ')}`] : [];
  });
  const others = given.filter(([, value]) => !(value instanceof Error) && !Array.isArray(value));
  const brackets = others.map(([name, value]) => `${name} ${value}`).join(', ');
  return `${sentences.join('')}${brackets === '' ? '' : ` (${brackets})`}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

function formatJson({ level, message, fields }: Entry, { moments, source }: TerminalLogOptions): string {
  const time = moments === undefined ? undefined : new Date(moments.now()).toISOString();
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? { name: value.name, message: value.message } : value,
  ]);
  return escapeMarks(JSON.stringify({ time, level, source, message, ...Object.fromEntries(shown) }));
}
