// The library in another repository: packed, installed into an empty project, compiled there and run.
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { ROOT } from './build-packages.ts';
import { type LocalRegistry, startLocalRegistry } from './local-registry.ts';
import { cdkRelease, findingsOf, nodeRelease } from './registry.ts';
import { relativeLinks } from './relative-links.ts';
import { runCommand } from './run-command.ts';

// Compilers and npm are slow, and other tests run at the same time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const FIVE_LINES = join(ROOT, 'docs/examples/five-lines.ts');

let folder: string;
let project: string;
let registry: LocalRegistry;
const tarball = inject('tarballs').library;
/** The packages that npm installed for this package without others. */
let installedPackages: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'returns-feed-package-'));
  project = join(folder, 'project');
  await mkdir(project);
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'theirs', type: 'module', private: true }),
  );
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2023', 'dom'],
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        strict: true,
        // Check our types as well: they must compile without other packages.
        skipLibCheck: false,
        // Each test compiles the files of those before it as well.
        incremental: true,
        outDir: 'built',
        rootDir: '.',
      },
      include: ['*.ts'],
    }),
  );
  registry = await startLocalRegistry(ROOT, folder);
  await npmInstall(tarball);
  installedPackages = await readdir(join(project, 'node_modules'));
  await npmInstall('@aws-lambda-powertools/batch');
});
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});

async function npmInstall(what: string): Promise<void> {
  const own = ['--registry', registry.url, '--cache', join(folder, 'cache')];
  await runCommand('npm', ['install', what, '--no-audit', '--no-fund', ...own], { cwd: project });
}

/** Examples of the documents, with their file names in the project. */
function examples(...paths: string[]): Promise<[name: string, text: string][]> {
  return Promise.all(
    paths.map(
      async (path): Promise<[string, string]> => [
        basename(path),
        await readFile(join(ROOT, 'docs/examples', path), 'utf8'),
      ],
    ),
  );
}

/** @returns the compiler's messages; empty without errors */
async function compile(...files: (readonly [name: string, text: string])[]): Promise<string> {
  return compileWith([], files);
}

async function compileWith(
  options: readonly string[],
  files: readonly (readonly [name: string, text: string])[],
): Promise<string> {
  for (const [name, text] of files) await writeFile(join(project, name), text);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const errors = await runCommand(process.execPath, [tsc, '-p', project, ...options], { cwd: project }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
  return errors;
}

describe('the package in another repository', () => {
  it('depends only on zod and the verifier of webhooks', () => {
    expect(installedPackages.filter((name) => !name.startsWith('.')).sort()).toEqual([
      '@stablelib',
      'fast-sha256',
      'returns-change-feed',
      'standardwebhooks',
      'zod',
    ]);
  });

  it('is set up in an empty folder by the commands of subscribing.md', async () => {
    const page = await readFile(join(ROOT, 'docs/subscribing.md'), 'utf8');
    const [, commands = '', config = ''] = /## Set up.*?```\n(.*?)```.*?```json\n(.*?)```/s.exec(page) ?? [];
    const [, tryIt = ''] = /```\n(npx tsc && node try\.js .*?)\n```/.exec(page) ?? [];
    const fresh = join(folder, 'fresh');
    await mkdir(fresh);
    await writeFile(join(fresh, 'tsconfig.json'), config);
    for (const name of ['five-lines.ts', 'try.ts'])
      await writeFile(join(fresh, name), await readFile(join(ROOT, 'docs/examples', name), 'utf8'));
    const script = `${commands.replace(/…\S+\.tgz/, tarball)}\n${tryIt}`;

    const { stdout, stderr } = await runCommand('sh', ['-ec', script], {
      cwd: fresh,
      env: { npm_config_registry: registry.url, npm_config_cache: join(folder, 'cache') },
    });

    expect(stdout).toMatch(/^\[ 'LSH-OLI-S', 'TRN-RUS-M' \]$/m);
    expect(stderr).toMatch(/^\d\d events went through, 0 failed$/m);
  });

  describe('compiles without errors, and runs:', () => {
    let errors: string;
    beforeAll(async () => {
      const files = [
        ['run.ts', RUN],
        ['close.ts', CLOSE],
        ['table.ts', WITH_TABLE],
      ] as const;
      errors = await compile(...(await examples('five-lines.ts', 'close-a-day.ts', 'try.ts')), ...files);
    });

    it('the subscriber of five lines, on a recorded event', async () => {
      const { stdout } = await runCommand(process.execPath, ['built/run.js'], { cwd: project });

      const text = await readFile(FIVE_LINES, 'utf8');
      expect(errors).toBe('');
      expect(stdout).toBe(`[ 'LSH-OLI-S', 'TRN-RUS-M' ]\n{"done":1,"failed":[]}\n`);
      expect(text.trimEnd().split('\n')).toHaveLength(5);
    });

    it('the job that closes a day, started by a recorded report', async () => {
      const { stdout } = await runCommand(process.execPath, ['built/close.js'], { cwd: project });

      expect(errors).toBe('');
      expect(stdout).toBe('close-acme-2026-11-20\n');
    });

    it('a trial of a handler on the recorded events that come with it', async () => {
      const shipped = 'node_modules/returns-change-feed/docs/events/recorded.jsonl';
      const input = await readFile(join(project, shipped), 'utf8');

      const { stdout, stderr } = await runCommand(process.execPath, ['built/try.js'], {
        cwd: project,
        input,
      });

      expect(errors).toBe('');
      expect(stdout).toMatch(/^\[ 'LSH-OLI-S', 'TRN-RUS-M' \]$/m);
      expect(stderr).toMatch(/^\d\d events went through, 0 failed$/m);
    });

    it('a subscriber with a table, which reports what to install', async () => {
      const { stdout } = await runCommand(process.execPath, ['built/table.js'], { cwd: project });

      expect(errors).toBe('');
      expect(stdout).toMatch(/needs @aws-lambda-powertools\/idempotency, .*: install them/);
    });
  });

  it('does not compile the subscriber of five lines with a misspelled field', async () => {
    const text = await readFile(FIVE_LINES, 'utf8');
    const errors = await compile(['misspelled.ts', text.replace('data.items', 'data.itmes')]);
    await rm(join(project, 'misspelled.ts'));

    expect(errors).toMatch(/misspelled\.ts.*'itmes' does not exist/);
  });

  it('compiles the receivers of webhooks in Express and Hono', async () => {
    await mkdir(join(project, 'node_modules/@hono'));
    await Promise.all(
      WEB.map((name) => symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))),
    );
    // The types of Express need types that are not installed, so skip the check of libraries.
    const errors = await compileWith(
      ['--skipLibCheck'],
      await examples('webhooks/express.ts', 'webhooks/hono.ts', 'webhooks/book-arrival.ts'),
    );

    expect(errors).toBe('');
  });

  it('compiles and bundles a receiver for a worker, without Node and without Powertools', async () => {
    const worker = join(project, 'worker');
    await mkdir(worker);
    await writeFile(join(worker, 'worker.ts'), WORKER);
    await writeFile(join(worker, 'tsconfig.json'), WORKER_CONFIG);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');

    const { stdout } = await runCommand(process.execPath, [tsc, '-p', worker], { cwd: worker });
    const { metafile } = await build({
      entryPoints: [join(worker, 'worker.ts')],
      outfile: join(worker, 'bundle.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      absWorkingDir: worker,
    });
    const bundled: { default: { fetch(request: Request): Promise<Response> } } = await import(
      join(worker, 'bundle.mjs')
    );
    const response = await bundled.default.fetch(new Request('http://worker.test', { method: 'POST' }));

    expect(stdout).toBe('');
    expect(Object.keys(metafile.inputs).filter((file) => /powertools|aws-sdk/.test(file))).toEqual([]);
    expect(response.status).toBe(401);
  });

  it('runs the subscriber of five lines on Node 22', async () => {
    const programs = await nodeRelease('22');
    if (programs === undefined) return;

    const { stdout } = await runCommand(join(programs, 'node'), ['built/run.js'], { cwd: project });

    expect(stdout).toBe(`[ 'LSH-OLI-S', 'TRN-RUS-M' ]\n{"done":1,"failed":[]}\n`);
  });

  describe('synthesizes a stack with the feed and the subscriber of five lines behind its queue', () => {
    beforeAll(async () => {
      await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
      await link(join(ROOT, 'node_modules'), ...CDK, ...BUNDLER);
      // All of CDK's own types would take half a minute.
      const errors = await compileWith(['--skipLibCheck'], await examples('five-lines.ts', 'stack.ts'));
      expect(errors).toBe('');
    });

    it('with the CDK of this checkout', async () => {
      expect(await synthesizedTypes()).toEqual(expect.arrayContaining(EXPECTED_TYPES));
    });

    it('with the oldest CDK that it admits', async () => {
      const { peerDependencies } = await readManifest(join(project, 'node_modules/returns-change-feed'));
      const packages = await cdkRelease(peerDependencies['aws-cdk-lib'].replace('^', ''));
      if (packages === undefined) return;
      await link(packages, ...CDK);

      const types = await synthesizedTypes();

      expect(types).toEqual(expect.arrayContaining(EXPECTED_TYPES));
    });
  });

  it('compiles and loads the onboarding of stores, with the clients of AWS that it needs', async () => {
    await link(join(ROOT, 'node_modules'), '@aws-sdk');
    const errors = await compileWith(
      ['--skipLibCheck'],
      [
        ...(await examples('onboard.ts')),
        ['load.ts', "import { onboard } from './onboard.js';\nprocess.stdout.write(typeof onboard);"],
      ],
    );

    const { stdout } = await runCommand(process.execPath, ['built/load.js'], { cwd: project });

    expect({ errors, stdout }).toEqual({ errors: '', stdout: 'function' });
  });

  it('satisfies publint', async () => {
    expect((await findingsOf('publint@0.3.25', 'run', tarball, '--strict')) ?? '').toBe('');
  });

  it('has types for every entry, as @arethetypeswrong/cli checks them', async () => {
    const profile = ['--profile', 'esm-only'];
    expect((await findingsOf('@arethetypeswrong/cli@0.18.5', tarball, ...profile)) ?? '').toBe('');
  });

  it('contains no sources, tests or tools', async () => {
    const root = join(project, 'node_modules/returns-change-feed');

    const files = await readdir(root, { recursive: true });

    expect((await readdir(root)).sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'],
      ...['dist', 'docs', 'package.json'],
    ]);
    const sources = files.filter((file) => /(?<!\.d)\.ts$/.test(file));
    expect(sources.filter((file) => !file.startsWith(join('docs', 'examples')))).toEqual([]);
  });

  it('contains every file that its documents link to', async () => {
    const links = await relativeLinks(join(project, 'node_modules/returns-change-feed'));

    expect(links.length).toBeGreaterThan(80);
    expect(links.filter(({ isDead }) => isDead)).toEqual([]);
  });
});

async function readManifest(packageFolder: string) {
  return JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
}

/** Links packages into the project, in place of those of the same name. */
async function link(packages: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    await rm(join(project, 'node_modules', name), { force: true });
    await symlink(join(packages, name), join(project, 'node_modules', name));
  }
}

/** Synthesizes the stack. @returns the type of each of its resources; of a mapping with its way to report failures */
async function synthesizedTypes(): Promise<string[]> {
  const CDK_OUTDIR = join(folder, 'cdk.out');
  await runCommand(process.execPath, ['built/stack.js'], { cwd: project, env: { CDK_OUTDIR } });
  const template = JSON.parse(await readFile(join(CDK_OUTDIR, 'Warehouse.template.json'), 'utf8'));
  const resources: { Type: string; Properties?: { FunctionResponseTypes?: string[] } }[] = Object.values(
    template.Resources,
  );
  return resources.map(({ Type, Properties }) =>
    [Type, ...(Properties?.FunctionResponseTypes ?? [])].join(' '),
  );
}

const EXPECTED_TYPES = [
  'AWS::Lambda::EventSourceMapping ReportBatchItemFailures',
  'AWS::Lambda::Function',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
];

/** Peer dependencies of the construct, and CDK's bundler. */
const CDK = ['aws-cdk-lib', 'constructs'];
const BUNDLER = ['esbuild', '.bin/esbuild'];

/** The packages that the receivers' examples import, with their types. */
const WEB = ['express', '@types', 'hono', '@hono/node-server'];

const WORKER = `
import { createWebhookReceiver } from 'returns-change-feed/webhook-receiver';

const log = { info() {}, warn() {}, error() {} };
const receiver = createWebhookReceiver({ name: 'worker', secrets: '${btoa('a secret of a worker, of 32 bytes')}', on: {}, log });
export default { fetch: receiver };
`;

/** Compiles strictly, checks our types, and has no types of Node. */
const WORKER_CONFIG = JSON.stringify({
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2023',
    lib: ['es2023', 'webworker'],
    types: [],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  },
});

const WITH_TABLE = `
import { createQueueSubscriber } from 'returns-change-feed/subscriber-kit';
const say = (_message: string, fields: Record<string, unknown>) => console.log(String(fields['error']));
const handler = createQueueSubscriber({
  tableName: 'subscribers',
  on: { 'shipment.created': () => {} },
  otherwise: () => {},
  log: { info() {}, warn() {}, error: say },
});
const event = { id: 'acme_1_1_1', type: 't', source: 's', subject: 's', time: 't', dataschema: 'd', partitionkey: 'p' };
const Records = [{ messageId: '1', body: JSON.stringify({ ...event, data: {} }) }];
const context = { functionName: 'f', awsRequestId: 'r', getRemainingTimeInMillis: () => 1000 };
await handler({ Records }, context).catch(() => {});
`;

const RUN = `
import { runRecorded } from 'returns-change-feed/subscriber-kit';
import { parseEventId } from 'returns-change-feed/contract/event-id';
import { changePattern } from 'returns-change-feed/contract/event-pattern';
import example from 'returns-change-feed/events/examples/shipment.status_changed.json' with { type: 'json' };
import { handler } from './five-lines.js';

if (parseEventId(example.id)?.source !== 'acme') throw new Error('no id');
if (changePattern({ entity: 'shipment', to: 'DELIVERED' }).detailType.length !== 2) throw new Error('no pattern');
console.log(JSON.stringify(await runRecorded(handler, [example])));
`;

const CLOSE = `
import { runRecorded } from 'returns-change-feed/subscriber-kit';
import report from 'returns-change-feed/events/examples/feed.source_read.json' with { type: 'json' };
import { closeDays } from './close-a-day.js';

await runRecorded(closeDays(async (name) => console.log(name)), [report]);
`;
