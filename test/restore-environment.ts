// Set up for every file of tests: files share a process, so each gives back the environment that it found.
import { afterAll, vi } from 'vitest';

const found = { ...process.env };

afterAll(() => {
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
