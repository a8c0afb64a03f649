// The public suite of the Durable Streams protocol, as far as it reads. It also writes, which the pull feed does not, so it
// runs against streams of bytes behind the same answers; the ledger behind them has tests of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { READS, startByteServer } from './byte-server.ts';

const run = promisify(execFile);
const SUITE = dirname(
  createRequire(import.meta.url).resolve('@durable-streams/server-conformance-tests/package.json'),
);

/** The parts of the suite about reading. */
const READING = [
  ...['Read Operations', 'Long-Poll Operations', 'Long-Poll Edge Cases', 'HEAD Metadata', 'Caching and ETag'],
  ...['Offset Validation and Resumability', 'Protocol Edge Cases', 'Browser Security Headers', 'JSON Mode'],
  ...['Chunking and Large Payloads', 'Read-Your-Writes Consistency', 'Byte-Exactness Property'],
  ...['Immutability Properties', 'Offset Validation Properties', 'Operation Sequence Properties'],
  ...['Concurrent Writer Stress Tests', 'State Hash Verification'],
];
/** What a stream that is only read does not have: server-sent events, rules for writers, preflights of browsers. */
const ABOUT_OTHERS =
  /SSE|on (PUT|POST) responses|case-sensitive seq|Location header|Content-Type on POST|empty (JSON )?array|CORS preflight/i;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

test.each(Object.entries(READS))(
  'the pull feed %s answers reads as the Durable Streams protocol says',
  async (_, read) => {
    const [server, folder] = [await startByteServer(read), await mkdtemp(join(tmpdir(), 'conformance-'))];
    const config = join(folder, 'vitest.config.mjs');
    await writeFile(
      config,
      'export default { test: { include: ["dist/test-runner.js"], exclude: [], testTimeout: 60000 } };',
    );

    const args = [
      'vitest',
      'run',
      '--root',
      SUITE,
      '--config',
      config,
      '-t',
      READING.join('|'),
      '--reporter=json',
      `--outputFile=${folder}/report.json`,
    ];
    // It fails with the tests about others.
    await run('npx', args, { env: { ...process.env, CONFORMANCE_TEST_URL: server.url } }).catch(() => {});
    const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')) as Report;
    await Promise.all([server.close(), rm(folder, { recursive: true })]);

    const all = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    const about = all.filter(
      ({ ancestorTitles, title }) =>
        READING.includes(ancestorTitles.at(-1) ?? '') && !ABOUT_OTHERS.test(title),
    );
    expect(about.filter(({ status }) => status !== 'passed').map(({ title }) => title)).toEqual([]);
    expect(about.length).toBeGreaterThan(75);
  },
  300_000,
);
