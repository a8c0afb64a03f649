// Completes the lock file for platforms other than the one it was made on. npm records an optional package only if
// the registry at hand has it, and a registry may mirror few platforms; without the entries npm 11 refuses `npm ci`
// ("Missing: … from lock file") and on another platform the DynamoDB engine of the tests would be left out.
// `npm install <package>` keeps the entries while versions stay; a new version of the owner drops them. So run this
// after every change of a dependency: node .ci/lock-other-platforms.mjs
// With --check it changes nothing and exits with 1 if entries are missing.
import { readFileSync, writeFileSync } from 'node:fs';

const lockFile = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
const before = JSON.stringify(lock);

for (const workspace of ['local', 'test/engines']) {
  const manifest = JSON.parse(readFileSync(new URL(`../${workspace}/package.json`, import.meta.url), 'utf8'));
  lock.packages[workspace].optionalDependencies = manifest.optionalDependencies;
}
for (const [owner, dependencies] of optionalDependencies()) {
  for (const [name, version] of Object.entries(dependencies)) {
    const path = `node_modules/${name}`;
    const locked = lock.packages[`${owner}/${path}`] ?? lock.packages[path];
    if (locked === undefined || (locked.integrity === undefined && locked.version !== version)) {
      lock.packages[path] = entry(name, version, owner, dependencies);
    }
  }
}
lock.packages = inNpmsOrder(lock.packages);

if (JSON.stringify(lock) !== before) {
  if (process.argv.includes('--check')) {
    fail('package-lock.json lacks entries for other platforms: run node .ci/lock-other-platforms.mjs');
  }
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
}

function optionalDependencies() {
  // What comes inside another package's archive is complete as it comes.
  return Object.entries(lock.packages).flatMap(([owner, { optionalDependencies, inBundle }]) =>
    optionalDependencies === undefined || inBundle === true ? [] : [[owner, optionalDependencies]],
  );
}

/**
 * What npm would write, but for `integrity`, which only the registry knows; whoever installs on that platform gets
 * the package by name and version. Platform from the name: `…-linux-arm64-musl`, `…-win32-x64`.
 */
function entry(name, version, owner, siblings) {
  const match =
    /[/-](aix|android|darwin|freebsd|linux|openharmony|sunos|win32)-([a-z0-9]+)(?:-([a-z]+))?$/.exec(name);
  if (match === null || !/^\d+\.\d+\.\d+/.test(version))
    fail(`no entry can be derived for ${name} ${version}`);
  const [, os, cpu, abi = ''] = match;
  const libc = /musl/.test(abi) ? ['musl'] : /gnu/.test(abi) ? ['glibc'] : undefined;
  const sibling = Object.keys(siblings)
    .map((it) => lock.packages[`node_modules/${it}`])
    .find((it) => it?.integrity !== undefined);
  return {
    version,
    cpu: [cpu],
    ...(lock.packages[owner].dev && { dev: true }),
    ...(libc && { libc }),
    ...(sibling?.license && { license: sibling.license }),
    optional: true,
    os: [os],
    ...(sibling?.engines && { engines: sibling.engines }),
  };
}

function inNpmsOrder(packages) {
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
