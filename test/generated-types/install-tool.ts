// Tools that only one test needs are installed for it, with a fixed version, and stay in node_modules/.cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/generated-types/', import.meta.url));

/**
 * @param tool name and version, such as `cloudevents@10.0.0`
 * @returns what the package exports; undefined if it could not be installed
 */
export function installTool(tool: string): unknown {
  const name = tool.slice(0, tool.lastIndexOf('@'));
  const folder = join(CACHE, tool.replaceAll('/', '-'));
  if (!existsSync(join(folder, 'node_modules', name))) {
    mkdirSync(folder, { recursive: true });
    const options = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--silent'];
    if (spawnSync('npm', ['install', '--prefix', folder, ...options, tool]).status !== 0) {
      console.log(`Skipped: ${tool} could not be installed.`);
      return undefined;
    }
  }
  return createRequire(join(folder, 'package.json'))(name);
}
