// Set up for every file of tests, also where files share a process.
import { afterAll } from 'vitest';
import { removeAppDirectories } from './app-directories.ts';

afterAll(removeAppDirectories);
