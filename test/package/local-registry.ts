// A package registry on the loopback address that serves the installed packages of this checkout, so that tests can
// install packages like a user, without a network.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { runCommand } from './run-command.ts';

export interface LocalRegistry {
  readonly url: string;
  close(): Promise<void>;
}

const TARBALL = '/-/package.tgz';

function nameOf(path: string): string {
  return path.slice(0, -TARBALL.length);
}

/** @param folder receives the packed packages */
export async function startLocalRegistry(root: string, folder: string): Promise<LocalRegistry> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    try {
      if (path.endsWith('.tgz')) return void createReadStream(await packOnce(nameOf(path))).pipe(response);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await describePackage(path)));
    } catch {
      response.writeHead(404).end('{}');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  /**
   * The paths of tarballs, packed on request: npm also reads the metadata of large packages that it never downloads.
   */
  const packed = new Map<string, Promise<string>>();

  function packOnce(name: string): Promise<string> {
    const known = packed.get(name) ?? packInstalled(name);
    packed.set(name, known);
    return known;
  }

  /** Uncompressed, because the largest take long to compress. npm reads both. */
  async function packInstalled(name: string): Promise<string> {
    const installed = join(root, 'node_modules', name);
    const { bundleDependencies, bundledDependencies = bundleDependencies } = await manifestOf(name);
    const without = bundledDependencies === undefined ? ['--exclude', 'node_modules'] : [];
    const file = join(folder, `${name.replaceAll('/', '-')}.tgz`);
    await runCommand('tar', ['-cf', file, ...without, '-C', dirname(installed), basename(installed)], {
      cwd: folder,
    });
    return file;
  }

  async function describePackage(name: string) {
    const manifest = await manifestOf(name);
    const dist = { tarball: `${url}${name}${TARBALL}` };
    return {
      name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    };
  }

  async function manifestOf(name: string) {
    return JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  }

  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
