// The directories of the apps of tests, until remove-apps.ts removes them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories: string[] = [];

export function newAppDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'returns-feed-app-'));
  directories.push(directory);
  return directory;
}

export function removeAppDirectories(): void {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
}
