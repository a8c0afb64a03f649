// Texts of a service that a terminal would act on, in the output of commands that print JSON for programs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { runFeed } from '../cli/run-feed.ts';

const TOKEN = 'the-token-of-the-store';
/** A C1 control that begins an escape sequence, DEL, marks of direction and a line separator. */
const HOSTILE = 'UPS\u009b2J\u007f\u202eSPU\u2066\u2028';
/** A formula for a spreadsheet that ignores what stands before it. */
const FORMULA = '\n=1+1\u001b\u0007\u0000\r';
const MARKS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const TIMEOUT_MS = 60_000;

let service: ReferenceService;
let data: string;
let group: number;

beforeAll(async () => {
  service = await createReferenceService({ groups: 8, token: TOKEN, life: false });
  data = await mkdtemp(join(tmpdir(), 'hostile-'));
  const shown = service.control.snapshot().find(({ shipments }) => shipments.length > 0);
  group = Number(shown?.id);
  service.control.mutate(group, (draft) => {
    draft.order.name = HOSTILE;
    for (const shipment of draft.shipments) shipment.carrier = HOSTILE;
  });
  const other = service.control.snapshot().find(({ id }) => Number(id) !== group);
  service.control.mutate(Number(other?.id), (draft) => {
    draft.order.name = FORMULA;
  });
  const watch = ['watch', '--base-url', service.url, '--source', 'acme', '--data', data, '--json'];
  await runFeed([...watch, '--baseline', 'emit', '--for', '3s'], { token: TOKEN });
}, TIMEOUT_MS);
afterAll(async () => {
  await service.close();
  await rm(data, { recursive: true });
});

test.each([
  ['explain', () => ['explain', 'acme', String(group), '--json', '--data', data]],
  ['export', () => ['export', 'acme', '--data', data]],
  ['replay', () => ['replay', 'acme', '--data', data]],
  ['status', () => ['status', '--json', '--data', data]],
  ['sources list', () => ['sources', 'list', '--json', '--data', data]],
  ['probe', () => ['probe', '--base-url', service.url, '--json']],
])(
  '%s escapes them, and its JSON has the same values',
  async (name, args) => {
    const { stdout } = await runFeed(args(), { token: TOKEN });

    expect(stdout).not.toMatch(MARKS);
    const parsed = name === 'export' || name === 'replay' ? stdout.trim().split('\n') : [stdout];
    expect(
      parsed
        .map((text) => JSON.stringify(JSON.parse(text)))
        .join('')
        .includes(HOSTILE),
    ).toBe(['explain', 'export', 'replay'].includes(name));
  },
  TIMEOUT_MS,
);

test(
  'export --csv escapes them and all control characters, so that no cell begins a formula after one',
  async () => {
    const { stdout } = await runFeed(['export', 'acme', '--csv', '--data', data]);

    expect(stdout).not.toMatch(MARKS);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal acts on
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(stdout).toContain(String.raw`,\n=1+1\x1b\x07\x00\r,`);
    expect(stdout.split('\n').filter((line) => line.startsWith('='))).toEqual([]);
  },
  TIMEOUT_MS,
);
