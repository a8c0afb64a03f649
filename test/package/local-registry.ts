// A package registry on the loopback address that serves this checkout's installed packages, so that a package can be
// installed as by any user, without a network.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

export interface LocalRegistry {
  readonly url: string;
  close(): Promise<void>;
}

/** @param folder where packages are packed to */
export async function startLocalRegistry(root: string, folder: string): Promise<LocalRegistry> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    try {
      if (path.endsWith('.tgz')) return void createReadStream(join(folder, path)).pipe(response);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await describeOnce(path)));
    } catch {
      response.writeHead(404).end('{}');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const described = new Map<string, ReturnType<typeof describePackage>>();

  function describeOnce(name: string): ReturnType<typeof describePackage> {
    const known = described.get(name) ?? describePackage(name);
    described.set(name, known);
    return known;
  }

  async function describePackage(name: string) {
    const manifest = JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    // As it was installed: its own scripts would build it anew, with tools that are not here.
    const tarball = await pack(join(root, 'node_modules', name), folder, '--ignore-scripts');
    const dist = { tarball: `${url}${tarball}` };
    return {
      name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    };
  }

  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @returns the name of the tarball */
export async function pack(packageFolder: string, into: string, ...options: string[]): Promise<string> {
  const { stdout } = await runCommand(
    'npm',
    ['pack', packageFolder, '--pack-destination', into, '--silent', ...options],
    { cwd: into },
  );
  return stdout.trim().split('\n').at(-1) ?? '';
}
