// What `npm ci` installs, on any platform, is what the lock file's digests describe. CI installs exact versions.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  /** Comes in the archive of another package, whose digest covers it. */
  readonly inBundle?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

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
      packages[`node_modules/${name}`] === undefined &&
      packages[`${owner}/node_modules/${name}`] === undefined,
  );

  expect(missing).toEqual([]);
});

test('CI runs exact releases of Node, and packages of Python by their digests', () => {
  const script = read('.ci/run');
  const releases = [...script.matchAll(/\b(?:on_node |node@|for version in )([\d. ]+)/g)].flatMap(
    ([, list = '']) => list.trim().split(' '),
  );

  expect(releases.length).toBeGreaterThan(3);
  for (const release of releases) expect(release).toMatch(/^\d+\.\d+\.\d+$/);
  for (const [install] of script.matchAll(/pip" install .*/g)) expect(install).toContain('--require-hashes');
});
