// What `npm ci` installs, on any platform, is what the lock file's digests describe.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  /** Comes in the archive of another package, whose digest covers it. */
  readonly inBundle?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { readonly packages: Readonly<Record<string, Locked>> };

test('each package in the lock file has its digest', () => {
  const installed = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle,
  );

  const unproved = installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path);

  expect(installed.length).toBeGreaterThan(100);
  expect(unproved).toEqual([]);
});

test('the lock file is complete for other platforms: a registry may lack some of their packages', () => {
  const optional = Object.entries(packages).flatMap(([owner, { optionalDependencies = {}, inBundle }]) =>
    inBundle ? [] : Object.keys(optionalDependencies).map((name) => ({ owner, name })),
  );

  const missing = optional.filter(
    ({ owner, name }) =>
      packages[`node_modules/${name}`] === undefined && packages[`${owner}/node_modules/${name}`] === undefined,
  );

  expect(missing).toEqual([]);
});
