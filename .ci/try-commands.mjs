// README's two commands on the release of Node that runs this. `npm ci` as a dry run, because it installs the same on all
// releases, and the build that belongs to it: they must not warn. `npm start` as a user has it: events come, and Ctrl-C
// ends it cleanly. Its script lets the command take the shell's place, or Ctrl-C would end the shell first, and hands
// options on; without such a shell, `call` is cmd.exe's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LONGEST_MS = 40_000;
/** Of somebody's own configuration of npm, not of this project. */
const OWN_CONFIG = /Unknown (user|env|global|cli) config/;

async function install(...command) {
  const npm = spawn('npm', command, { stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_MS });
  const output = collect(npm);
  const [code] = await once(npm, 'close');
  const warnings = output.text
    .split('\n')
    .filter((line) => /^npm warn/i.test(line) && !OWN_CONFIG.test(line));
  if (code !== 0 || warnings.length > 0)
    throw new Error(`npm ${command.join(' ')} ended with ${code}: ${output.text}`);
}

async function start() {
  // A group of its own: Ctrl-C reaches npm, the shell and the command, as in a terminal.
  const npm = spawn('npm', ['start', '--', '--forward-to', NOBODY], {
    stdio: ['ignore', 'pipe', 'pipe'],
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
  const [code] = await once(npm, 'close');
  clearTimeout(patience);
  if (code !== 0 || !EVENT.test(output.text) || !FORWARDED.test(output.text) || !STOPPED.test(output.text))
    throw new Error(`npm start ended with ${code}: ${output.text}`);
}

/** Its time, how late it came, its return and what changed of it. */
const EVENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*#\d+ +(item|shipment|return|exchange|refund)\b/m;
/** An address that refuses connections: npm must hand options on, and a dead receiver must not hold up the end. */
const NOBODY = 'http://127.0.0.1:9/hook';
const FORWARDED = / http:\/\/127\.0\.0\.1:9\/hook: ECONNREFUSED/;
const STOPPED = / stopped: [1-9]\d* events$/m;

function collect(child, onText = () => {}) {
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output.text += text;
      onText(output.text);
    });
  return output;
}

await install('ci', '--dry-run');
await install('run', 'prepare');
await start();
process.stdout.write(
  `On Node ${process.versions.node} npm ci warns of nothing, and npm start prints events and ends cleanly.\n`,
);
