// The memory that one answer needs, whatever it holds: measured in a process of its own, whose heap is so small that
// garbage counts for little.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sampleRow } from '../../shared/returns-service/sample-rows.ts';
import { closeAll, serve, serveBytes } from './listeners.ts';

const run = promisify(execFile);
const MIB = 1_024 * 1_024;
const HEAP = ['--max-old-space-size=80', '--max-semi-space-size=4'];
const MAX_GROWTH_MB = 150;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

const folder = mkdtempSync(join(tmpdir(), 'answer-memory-'));
const program = join(folder, 'read-answer.mjs');

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'programs/read-answer.ts')],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
  }),
);
afterEach(closeAll);
afterAll(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly outcome: string;
  readonly rows: number;
  readonly peakMb: number;
}

async function readAnswer(body: string | Buffer, encoding = 'gzip'): Promise<Outcome> {
  const bytes = encoding === 'gzip' ? gzipSync(body, { level: 1 }) : body;
  return readFrom(
    await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bytes)),
  );
}

async function readFrom(url: string): Promise<Outcome> {
  const { stdout } = await run(process.execPath, [...HEAP, program, url]);
  const outcome = JSON.parse(stdout) as Outcome;
  console.info(`${expect.getState().currentTestName}: ${outcome.outcome}, ${outcome.peakMb.toFixed(0)} MB`);
  return outcome;
}

/** A list of `text`, so many times. */
function listOf(text: string, count: number): string {
  return `[${`${text},`.repeat(count - 1)}${text}]`;
}

/** A list of what `element` makes of 0, 1, 2, … */
function listOfEach(element: (index: number) => string, count: number): string {
  return `[${Array.from({ length: count }, (_, index) => element(index)).join()}]`;
}

const key = (index: number) => index.toString(36).padStart(4, 'k');
const row = (field: string, value: string) => `{"id":1,"${field}":${value}}`;
const asObject = (list: string) => `{${list.slice(1, -1)}}`;
const field = (index: number) => `"${key(index)}":0.5`;
const object = (index: number) => `{"${key(index)}":0}`;
const objectOfThree = (index: number) => `{"${key(index)}":0.5,"a${key(index)}":"","b${key(index)}":0}`;
const item = (id: number, more = '') => `{"id":${id},"status":"${key(id)}xxxxxxx"${more}}`;
const STAMPS = '"created_at":"2026-11-18T08:00:00Z","updated_at":"2026-11-18T08:00:00Z"';
const group = (id: number, list: string) => `{"id":${id},${STAMPS},"returns":${list}}`;
const groups = (items: number, count: number, more?: (id: number) => string) =>
  listOfEach(
    (at) =>
      group(
        at,
        listOfEach((id) => item(at * items + id, more?.(id)), items),
      ),
    count,
  );
const sixTexts = (id: number) =>
  `,"platform_refund_transaction_ids":${listOfEach((at) => `"${key(id * 6 + at)}"`, 6)}`;

const TOO_LARGE: [string, () => string][] = [
  ['empty objects', () => listOf('{}', 3 * MIB)],
  ['empty lists', () => listOf('[]', 3 * MIB)],
  ['empty texts', () => listOf('""', 5 * MIB)],
  ['zeros', () => listOf('0', 7 * MIB)],
  ['fractions', () => listOf('1.5', 3 * MIB)],
  ['open brackets', () => '['.repeat(6 * MIB)],
  ['nested lists', () => '['.repeat(6 * MIB) + ']'.repeat(6 * MIB)],
  ['nested objects', () => `[${'{"a":'.repeat(2 * MIB)}1${'}'.repeat(2 * MIB)}]`],
  ['nested objects without a list', () => `${'{"a":'.repeat(2 * MIB)}1${'}'.repeat(2 * MIB)}`],
  ['distinct texts', () => listOfEach((at) => `"${key(at)}"`, 2 * MIB)],
  ['objects with distinct fields', () => listOfEach(object, MIB)],
  ['one row with many fields', () => `[${asObject(listOfEach(field, MIB))}]`],
  ['a row of empty shipments', () => `[${row('shipments', listOf('{}', 5 * MIB))}]`],
  ['a row of zeros for shipments', () => `[${row('shipments', listOf('0', 7 * MIB))}]`],
  ['groups of small line items', () => groups(9_900, 13)],
];

/** Each has nearly as much of its kind as is not refused. */
const AT_THE_BOUND: [string, () => string][] = [
  ['a long text', () => `["${'x'.repeat(15 * MIB)}"]`],
  ['a long text with one letter of two bytes', () => `["${'x'.repeat(15 * MIB)}€"]`],
  ['a long text of escapes', () => `["${'\\n'.repeat(7 * MIB)}\\u20ac"]`],
  ['quotes and brackets in a text', () => `["${'\\"{['.repeat(3 * MIB)}"]`],
  ['a row with a long text', () => `[{"id":1,"notes":"${'x'.repeat(15 * MIB)}€"}]`],
  ['a text without a list', () => `"${'x'.repeat(15 * MIB)}€"`],
  ['bytes that are no JSON', () => '<p>,{'.repeat(3 * MIB)],
  ['empty rows', () => listOf('{}', 19_900)],
  ['rows of lists', () => listOf(row('notes', listOf('[]', 9_900)), 12)],
  ['rows of zeros', () => listOf(row('shipments', listOf('0', 149_000)), 6)],
  ['rows of many fields', () => listOf(asObject(listOfEach(field, 149_000)), 6)],
  [
    'rows of objects with distinct fields',
    () =>
      listOfEach(
        (at) =>
          row(
            'notes',
            listOfEach((id) => object(at * 9_900 + id), 9_900),
          ),
        12,
      ),
  ],
  [
    'rows of objects with three distinct fields',
    () =>
      listOfEach(
        (at) =>
          row(
            'notes',
            listOfEach((id) => objectOfThree(at * 9_900 + id), 9_900),
          ),
        12,
      ),
  ],
  [
    'rows of distinct texts',
    () =>
      listOf(
        row(
          'notes',
          listOfEach((at) => `"${key(at)}xxxxx€"`, 149_000),
        ),
        6,
      ),
  ],
  ['groups of line items', () => groups(9_900, 12)],
  ['groups of line items with texts', () => groups(9_900, 9, sixTexts)],
  ['small groups', () => groups(1, 19_900)],
  [
    'groups of line items and a long text',
    () => `${groups(9_900, 12).slice(0, -1)},${row('notes', `"${'x'.repeat(9 * MIB)}€"`)}]`,
  ],
];

describe('an answer', () => {
  it.each(TOO_LARGE)('of %s is refused', async (_, body) => {
    const { outcome, peakMb } = await readAnswer(body());

    expect(outcome).toBe('AnswerTooLargeError');
    expect(peakMb).toBeLessThan(MAX_GROWTH_MB);
  });

  it.each(AT_THE_BOUND)('of %s is read within the memory', async (_, body) => {
    const { outcome, peakMb } = await readAnswer(body());

    expect(outcome).not.toBe('AnswerTooLargeError');
    expect(peakMb).toBeLessThan(MAX_GROWTH_MB);
  });

  it('that unpacks without end is left at the bound', async () => {
    const { outcome, peakMb } = await readAnswer(Buffer.alloc(1_024 * MIB));

    expect(outcome).toBe('AnswerTooLargeError');
    expect(peakMb).toBeLessThan(MAX_GROWTH_MB);
  });

  it.each<[string, () => Promise<Outcome>]>([
    ['that can’t be compressed', () => readAnswer(Buffer.alloc(15 * MIB, 'x'), 'identity')],
    [
      'in chunks of a byte',
      async () => readFrom(await serveBytes(`${CHUNKED}${'1\r\nx\r\n'.repeat(5 * MIB)}0\r\n\r\n`)),
    ],
  ])('%s takes no more memory', async (_, readIt) => {
    expect((await readIt()).peakMb).toBeLessThan(MAX_GROWTH_MB);
  });

  it('of 16 MiB of ordinary rows is read', async () => {
    const count = Math.floor((16 * MIB) / (JSON.stringify(sampleRow(1)).length + 60));
    const rows = Array.from({ length: count }, (_, at) => sampleRow(at + 1));

    const { outcome, peakMb } = await readAnswer(JSON.stringify(rows));

    expect(outcome).toBe(`${count} readings, 0 unreadable`);
    expect(peakMb).toBeLessThan(MAX_GROWTH_MB);
  });

  it('of 200 rows with 500 refunds each is read', async () => {
    const refund = {
      type: 'refund_transaction',
      amount: { shop_money: { amount: 1, currency_code: 'USD' } },
      gateway: null,
    };
    const rows = Array.from({ length: 200 }, (_, at) => ({
      ...sampleRow(at + 1),
      refund_transactions: Array.from({ length: 500 }, (_, id) => ({
        ...refund,
        platform_id: `${at}-${id}`,
      })),
    }));

    const { outcome, peakMb } = await readAnswer(JSON.stringify(rows));

    expect(outcome).toBe('200 readings, 0 unreadable');
    expect(peakMb).toBeLessThan(MAX_GROWTH_MB);
  });
});
