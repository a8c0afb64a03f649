// README's commands in a fresh clone, on the release of Node that runs this, which may be older than the needed one.
// `npm ci` must neither warn nor change a file. `npm start` as a user has it: events come, and Ctrl-C ends it cleanly.
// Of `npm test`, the tests of the SQLite file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LONGEST_MS = 180_000;
/** Of somebody's own configuration of npm, not of this project. */
const OWN_CONFIG = /Unknown (user|env|global|cli) config/;
/** Its time, how late it came, its return and what changed of it. */
const EVENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*#\d+ +(item|shipment|return|exchange|refund)\b/m;
/** An address that refuses connections: npm must hand options on, and a dead receiver must not hold up the end. */
const NOBODY = 'http://127.0.0.1:9/hook';
const FORWARDED = / http:\/\/127\.0\.0\.1:9\/hook: ECONNREFUSED/;
const STOPPED = / stopped: [1-9]\d* events$/m;
/** Without what npm, which may run this, says of ROOT. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

const clone = await mkdtemp(join(tmpdir(), 'returns-feed-clone-'));
try {
  await run('git', 'clone', '--quiet', ROOT, clone);
  await install();
  await start();
  await run('npm', 'test', '--', 'test/local/store/open-store.test.ts');
} finally {
  await rm(clone, { recursive: true });
}
process.stdout.write(
  `On Node ${process.versions.node} npm ci warns of nothing, and npm start and npm test work.\n`,
);

async function install() {
  const output = await run('npm', 'ci');
  const warnings = output.split('\n').filter((line) => /\bwarn/i.test(line) && !OWN_CONFIG.test(line));
  const changed = await run('git', 'status', '--short');
  if (warnings.length > 0 || changed !== '')
    throw new Error(`npm ci changed "${changed}" and printed ${output}`);
}

async function start() {
  // A group of its own: Ctrl-C reaches npm and the command, as in a terminal.
  const npm = spawn('npm', ['start', '--', '--forward-to', NOBODY], {
    ...{ cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] },
    detached: true,
  });
  const interrupt = (signal) => process.kill(-npm.pid, signal);
  const patience = setTimeout(() => interrupt('SIGKILL'), LONGEST_MS);
  let isInterrupted = false;
  const output = collect(npm, (text) => {
    if (isInterrupted || !EVENT.test(text)) return;
    isInterrupted = true;
    interrupt('SIGINT');
  });
  const [code, signal] = await once(npm, 'close');
  clearTimeout(patience);
  const hasAll = [EVENT, FORWARDED, STOPPED].every((pattern) => pattern.test(output.text));
  // Some shells, and then npm, end by the signal.
  const isClean = code === 0 || signal === 'SIGINT';
  if (!isClean || !hasAll || /npm err/i.test(output.text))
    throw new Error(`npm start ended with ${code ?? signal}: ${output.text}`);
}

/** @returns what it printed */
async function run(program, ...args) {
  const child = spawn(program, args, {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  const output = collect(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output.text}`);
  return output.text;
}

function collect(child, onText = () => {}) {
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output.text += text;
      onText(output.text);
    });
  return output;
}
