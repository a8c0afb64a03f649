// The messages that `watch` prints on stderr without `--verbose`.
import { expect, test, vi } from 'vitest';
import { createReferenceService } from '../../../local/reference-service/create-reference-service.ts';
import { runFeed } from '../cli/run-feed.ts';

vi.setConfig({ testTimeout: 60_000 });

const TOKEN = 'the-token-of-the-store';

test('unreadable groups are reported once, with their reason', async () => {
  const service = await createReferenceService({
    groups: 60,
    token: TOKEN,
    life: { changesPerSecond: 10 },
    knobs: { unreadableEvery: 7, unreadableAs: 'bad-stamp' },
  });
  const args = ['watch', '--base-url', service.url, '--every', '500ms', '--for', '6s', '--json'];

  const { code, stderr } = await runFeed(args, { token: TOKEN });
  await service.close();

  const lines = stderr.split('\n');
  expect(code).toBe(0);
  const aside = lines.filter((line) => line.includes('set aside'));
  expect(aside).toHaveLength(1);
  expect(aside[0]).toMatch(/set aside: \d+ \(created_at is a text of \d+ characters\), \d+ \(/);
});
