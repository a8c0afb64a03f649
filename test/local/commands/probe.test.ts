// `probe` as a shell sees it.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../../local/reference-service/create-reference-service.ts';
import { runFeed } from '../cli/run-feed.ts';

// A probe pauses between requests.
vi.setConfig({ testTimeout: 60_000 });

const TOKEN = 'the-token-that-nobody-may-see';

let service: ReferenceService;

beforeAll(async () => {
  service = await createReferenceService({ groups: 80, token: TOKEN, life: false });
});
afterAll(() => service.close());

test('the findings are printed as text or as JSON, without the token', async () => {
  const before = JSON.stringify(service.control.snapshot());

  const [readable, json] = await Promise.all(
    [[], ['--json']].map((args) => runFeed(['probe', '--base-url', service.url, ...args], { token: TOKEN })),
  );

  expect(readable).toMatchObject({ code: 0, stderr: '' });
  expect(readable?.stdout).toMatch(/^returns service at 127\.0\.0\.1:\d+, after \d+ requests\n/);
  expect(readable?.stdout).toMatch(/order +created_at descending; the same twice; neighbouring pages join\n/);
  expect(JSON.parse(json?.stdout ?? '')).toMatchObject({ page: { byDefault: 50, groups: 80 } });
  expect(`${readable?.stdout}${json?.stdout}`).not.toContain(TOKEN);
  expect(JSON.stringify(service.control.snapshot())).toBe(before);
});

test('questions without an answer are exit code 3, also for lack of requests', async () => {
  const few = ['probe', '--base-url', service.url, '--requests', '3'];
  const ended = await runFeed(few, { token: TOKEN });

  expect(ended).toMatchObject({ code: 3, stderr: '' });
  expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain('page sizes: no requests were left');
});

test.each([
  ['no token', () => service.url, undefined, 2],
  ['a token that is refused', () => service.url, 'another-token-that-nobody-may-see', 1],
  ['an invalid address', () => 'nonsense', TOKEN, 2],
])('an impossible request is reported in one line without the token: %s', async (_, url, token, code) => {
  const ended = await runFeed(['probe', '--base-url', url()], { token });

  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
  if (token !== undefined) expect(ended.stderr).not.toContain(token);
});
