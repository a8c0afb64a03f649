// A file of sources to add: a JSON object in each line, or CSV with a line of names. Each problem is reported with its
// line. No text of a line is ever shown: it may hold a token.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import * as z from 'zod';
import type { NewSource } from '../../functions/sources/open-sources.ts';
import { messageOf } from '../cli/failures.ts';
import {
  baseUrlField,
  duration,
  nameField,
  problemsIn,
  settingFields,
  textsOf,
} from '../cli/source-fields.ts';
import { deployedSettingsOf, neededTokenOf } from '../cli/source-flags.ts';

const text = z.string().min(1).optional();

const line = z.strictObject({
  name: nameField,
  baseUrl: baseUrlField,
  token: text,
  tokenFile: text,
  tokenSecret: text,
  tokenParameter: text,
  ...settingFields,
  customerData: z.boolean().optional(),
  sourceRead: z.union([z.boolean(), duration]).optional(),
});

export interface SourceLine {
  /** The first line is 1. */
  readonly number: number;
  readonly source: NewSource;
}

export interface SourceFile {
  readonly text: string;
  /** Names it in problems. */
  readonly name: string;
  /** Paths of tokens are relative to it. */
  readonly folder: string;
  /** Whether lines may hold tokens: a file that is kept must not. */
  readonly hasTokens: boolean;
}

/** @throws UsageError that names all problems, each with its line */
export function readSourceFile({ text: whole, name, folder, hasTokens }: SourceFile): SourceLine[] {
  const problems: string[] = [];
  const sources = readLines(whole.replace(/^\uFEFF/, ''), problems).flatMap(({ number, value }) => {
    const parsed = line.safeParse(value);
    const found = parsed.success ? [] : textsOf(parsed.error, 'the line');
    if (parsed.success) {
      const { name: source, baseUrl } = parsed.data;
      try {
        if (parsed.data.token !== undefined && !hasTokens)
          throw new Error('token is read from standard input only (--file -); in a file give tokenFile');
        const token = neededTokenOf(parsed.data, (path) => readFileSync(resolve(folder, path), 'utf8'));
        return [{ number, source: { name: source, baseUrl, ...deployedSettingsOf(parsed.data), token } }];
      } catch (error) {
        found.push(messageOf(error));
      }
    }
    problems.push(...found.map((problem) => `line ${number}: ${problem}`));
    return [];
  });
  if (problems.length > 0) throw problemsIn(name, problems);
  return sources;
}

interface Line {
  readonly number: number;
  readonly value: unknown;
}

function readLines(whole: string, problems: string[]): Line[] {
  if (!whole.trimStart().startsWith('{')) return readCsv(whole, problems);
  return whole.split(/\r?\n/).flatMap((each, index) => {
    if (each.trim() === '') return [];
    try {
      return [{ number: index + 1, value: JSON.parse(each) }];
    } catch {
      problems.push(`line ${index + 1}: it is no JSON object`);
      return [];
    }
  });
}

const NAMES = Object.keys(line.shape);

function readCsv(whole: string, problems: string[]): Line[] {
  try {
    const rows = parse(whole, {
      columns: (header: string[]) => header.map(readName),
      cast: (cell, { column, header }) => (header ? cell : readCell(String(column), cell)),
      ...{ info: true, trim: true, skip_empty_lines: true },
    }) as unknown as { info: { lines: number }; record: object }[];
    return rows.map(({ info, record }) => ({ number: info.lines, value: record }));
  } catch (error) {
    // The parser's own messages quote the line.
    const { code, lines } = error as CsvError & { lines?: number };
    const isHeader = !(error instanceof CsvError);
    problems.push(isHeader ? messageOf(error) : `line ${lines}: it can't be read as CSV (${code})`);
    return [];
  }
}

/** A column is named as the option, `base-url`, or as the field, `baseUrl`. */
function readName(column: string, index: number): string {
  const name = column.trim().replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (NAMES.includes(name)) return name;
  // Where the names are missing, it may be a token.
  throw new Error(`line 1: column ${index + 1} has none of the names ${NAMES.join(', ')}`);
}

function readCell(column: string, cell: string): unknown {
  if (cell === '') return undefined;
  if (column === 'budget') return /^\d+$/.test(cell) ? Number(cell) : cell;
  if (column === 'include') return cell.split(',').map((field) => field.trim());
  const isSwitch = column === 'customerData' || column === 'sourceRead';
  return isSwitch && /^(true|false)$/.test(cell) ? cell === 'true' : cell;
}
